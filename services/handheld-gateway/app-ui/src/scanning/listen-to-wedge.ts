import { WedgeDecoder } from './wedge.ts';

/** A text field as it was before a scanner typed into it. */
interface FieldBefore {
  field: HTMLInputElement | HTMLTextAreaElement;
  value: string;
}

/**
 * Hears scanners that type, wherever the focus is. What they typed into a field is taken out again; what a person
 * types passes untouched.
 *
 * @returns how to stop.
 */
export function listenToWedge(onScan: (value: string) => void): () => void {
  const decoder = new WedgeDecoder();
  let before: FieldBefore | null = null;

  const onKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing || event.repeat) {
      decoder.reset();
      return;
    }
    const stroke = decoder.press(event.key, event.timeStamp);
    if (stroke.kind === 'scan') {
      // Enter would press the button that has the focus, Tab would move it.
      event.preventDefault();
      event.stopPropagation();
      restore(before);
      before = null;
      onScan(stroke.value);
    } else if (stroke.kind === 'burst') {
      if (!isTextField(event.target)) {
        event.preventDefault(); // a blank would press a button, or scroll
      }
    } else if ([...event.key].length === 1) {
      // Perhaps the first character of a burst.
      before = isTextField(event.target) ? { field: event.target, value: event.target.value } : null;
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
