import { signal } from '@preact/signals';
import { options } from 'preact';

/** Whether the page is being printed: then lists draw all of their rows. */
export const isPrinting = signal(false);

/** Prints in light colours, whatever the screen has. */
export function watchPrinting(): void {
  const { dataset } = document.documentElement;
  let theme = dataset['theme'];
  window.addEventListener('beforeprint', () => {
    theme = dataset['theme'];
    dataset['theme'] = 'light';
    drawAtOnce(true);
  });
  window.addEventListener('afterprint', () => {
    dataset['theme'] = theme;
    drawAtOnce(false);
  });
}

/** The browser takes the page as it is when the event has been heard. */
function drawAtOnce(printing: boolean): void {
  options.debounceRendering = (draw) => draw();
  isPrinting.value = printing;
  delete options.debounceRendering;
}

/** What narrows the shown list, in words. */
export function shownFilters(): string[] {
  const fields = document.querySelectorAll<HTMLInputElement | HTMLSelectElement>(
    '.main :is(.filters, .report-filters) :is(input, select)',
  );
  return [...fields].flatMap((field) => {
    const [label] = field.labels ?? [];
    const name = field.ariaLabel ?? label?.firstElementChild?.textContent ?? label?.textContent ?? '';
    const value = typedIn(field);
    return value === null ? [] : value === '' ? name : `${name}: ${value}`;
  });
}

/** Null where it narrows nothing: an option without a value means none. */
function typedIn(field: HTMLInputElement | HTMLSelectElement): string | null {
  if (field instanceof HTMLSelectElement) {
    return field.value === '' ? null : (field.selectedOptions[0]?.textContent ?? null);
  }
  if (field.type === 'checkbox') {
    return field.checked ? '' : null;
  }
  const typed = field.type === 'datetime-local' ? field.value.replace('T', ' ') : field.value;
  return typed.trim() === '' ? null : typed;
}
