import { WedgeDecoder } from './wedge.ts';

/** A text field as it was before a scanner typed into it. */
interface FieldBefore {
  field: HTMLInputElement | HTMLTextAreaElement;
  value: string;
}

/** Who is told of what scanners type. */
export interface WedgeEars {
  onScan(value: string): void;
  /** A scan came with keys in it that are no characters, so that nobody knows the whole of its value. */
  onBroken(): void;
}

/**
 * Hears scanners that type, wherever the focus is. What they typed into a field is taken out again; what a person
 * types passes untouched.
 *
 * @returns how to stop.
 */
export function listenToWedge({ onScan, onBroken }: WedgeEars): () => void {
  const decoder = new WedgeDecoder();
  let before: FieldBefore | null = null;

  const onKey = (event: KeyboardEvent) => {
    const isCommand = event.ctrlKey || event.altKey || event.metaKey || event.isComposing || event.repeat;
    const stroke = isCommand ? decoder.command(event.timeStamp) : decoder.press(event.key, event.timeStamp);
    switch (stroke.kind) {
      case 'scan':
      case 'broken':
      case 'end':
        // Enter would press the button that has the focus, Tab would move it.
        event.preventDefault();
        event.stopPropagation();
        restore(before);
        before = null;
        break;
      case 'burst':
        if (!isTextField(event.target)) {
          event.preventDefault(); // a blank would press a button, or scroll
        }
        break;
      case 'typing':
        if (!isCommand && [...event.key].length === 1) {
          // Perhaps the first character of a burst.
          before = isTextField(event.target) ? { field: event.target, value: event.target.value } : null;
        }
    }
    if (stroke.kind === 'scan') {
      onScan(stroke.value);
    } else if (stroke.kind === 'broken') {
      onBroken();
    }
  };
  document.addEventListener('keydown', onKey, { capture: true });
  return () => document.removeEventListener('keydown', onKey, { capture: true });
}

function restore(before: FieldBefore | null): void {
  if (before !== null) {
    before.field.value = before.value;
    before.field.dispatchEvent(new Event('input', { bubbles: true }));
  }
}

function isTextField(target: EventTarget | null): target is HTMLInputElement | HTMLTextAreaElement {
  return target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
}
