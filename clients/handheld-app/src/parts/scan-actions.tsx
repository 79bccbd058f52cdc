import { useState } from 'preact/hooks';
import { useApp } from '../app/app-context.ts';
import { CameraSheet } from './camera-sheet.tsx';
import { Icon } from './icon.tsx';
import { TypeSheet } from './type-sheet.tsx';
import { VerdictCard } from './verdict-card.tsx';

export function ScanActions() {
  const app = useApp();
  const [open, setOpen] = useState<'camera' | 'type' | null>(null);
  return (
    <div class="actions">
      <button type="button" class="action" onClick={() => setOpen('camera')}>
        <Icon name="camera" />
        Camera
      </button>
      <button type="button" class="action" onClick={() => setOpen('type')}>
        <Icon name="keyboard" />
        Type
      </button>
      {open === 'camera' && (
        <CameraSheet
          title="Scan with the camera"
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
