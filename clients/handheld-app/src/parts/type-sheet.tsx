import { useRef } from 'preact/hooks';
import { Sheet } from '../../../ui/parts/sheet.tsx';
import { texts } from '../texts/texts.ts';
import { TagTypeChoice } from './tag-type-choice.tsx';

export function TypeSheet({ onValue, onClose }: { onValue: (value: string) => void; onClose: () => void }) {
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
