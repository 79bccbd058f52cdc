import { useState } from 'preact/hooks';
import { Icon } from '../../../ui/parts/icon.tsx';
import { useApp } from '../app/app-context.ts';
import { texts } from '../texts/texts.ts';
import { CameraSheet } from './camera-sheet.tsx';
import { TypeSheet } from './type-sheet.tsx';
import { VerdictCard } from './verdict-card.tsx';

export function ScanActions() {
  const app = useApp();
  const said = texts.value.scan;
  const [open, setOpen] = useState<'camera' | 'type' | null>(null);
  return (
    <div class="actions">
      <button type="button" class="action" onClick={() => setOpen('camera')}>
        <Icon name="camera" />
        {said.camera}
      </button>
      <button type="button" class="action" onClick={() => setOpen('type')}>
        <Icon name="keyboard" />
        {said.type}
      </button>
      {open === 'camera' && (
        <CameraSheet
          title={said.withCamera}
          onCode={(value) => app.scans.take(value)}
          onClose={() => setOpen(null)}
        >
          <VerdictCard shown={app.queue.recent.value[0]} notice={app.notice.value} />
        </CameraSheet>
      )}
      {open === 'type' && (
        <TypeSheet onValue={(value) => app.scans.take(value)} onClose={() => setOpen(null)} />
      )}
    </div>
  );
}
