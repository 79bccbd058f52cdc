import { useRef } from 'preact/hooks';
import { Sheet } from './sheet.tsx';
import { TagTypeChoice } from './tag-type-choice.tsx';

export function TypeSheet({ onValue, onClose }: { onValue: (value: string) => void; onClose: () => void }) {
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
    <Sheet title="Type a tag" onClose={onClose}>
      <form class="stack" onSubmit={onSubmit}>
        <label class="field">
          <span>What is printed on it</span>
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
          Take it
        </button>
      </form>
    </Sheet>
  );
}
