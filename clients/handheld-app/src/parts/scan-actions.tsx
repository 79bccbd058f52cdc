import { useRef, useState } from 'preact/hooks';
import { Icon } from '../../../ui/parts/icon.tsx';
import { Sheet } from '../../../ui/parts/sheet.tsx';
import { useApp } from '../app/app-context.ts';
import { texts } from '../texts/texts.ts';
import { CameraSheet } from './camera-sheet.tsx';
import { TagTypeChoice } from './tag-type-choice.tsx';
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

function TypeSheet({ onValue, onClose }: { onValue: (value: string) => void; onClose: () => void }) {
  const said = texts.value.scan;
  const field = useRef<HTMLInputElement>(null);
  const onSubmit = (event: Event) => {
    event.preventDefault();
    const value = field.current?.value.trim() ?? '';
    if (value !== '') {
      onValue(value);
      onClose();
    }
  };
  return (
    <Sheet closeLabel={texts.value.frame.close} title={said.typeATag} onClose={onClose}>
      <form class="stack" onSubmit={onSubmit}>
        <label class="field">
          <span>{said.printed}</span>
          <input
            ref={field}
            name="value"
            class="mono"
            autocomplete="off"
            autocapitalize="characters"
            spellcheck={false}
            enterkeyhint="done"
            maxLength={255}
            autofocus
          />
        </label>
        <TagTypeChoice />
        <button type="submit" class="primary">
          {said.take}
        </button>
      </form>
    </Sheet>
  );
}
