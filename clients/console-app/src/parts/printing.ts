import { signal } from '@preact/signals';
import { options } from 'preact';
import { isQuiet } from '../api/send.ts';
import { type Whole, wholes } from '../api/use-list.ts';
import { asApiError } from '../api/use-read.ts';
import { problemText } from './problem-text.ts';
import { type SavedCell, saveCsv } from './save-file.ts';
import { toastRefusal } from './toast.tsx';

/** Whether the page is being printed: then lists draw all of their rows. */
export const isPrinting = signal(false);

/** Whether a list is being saved: then it still draws its page only. */
export const isSaving = signal(false);

/** Rows that a table prints. */
const MOST_PRINTED = 5_000;

/** Rows of a saved list, which are held with all that is read beside them. */
export const MOST_SAVED = 20_000;

let loaded: readonly Whole[] = [];

/** How far all rows of lists are loaded; null while none are. */
export const loadingWhole = signal<{ done: number; of: number; stop: () => void } | null>(null);

/** Prints the screen with all rows of its lists. */
export async function printWhole(): Promise<void> {
  if (await loadWhole([...wholes], MOST_PRINTED)) {
    setTimeout(() => window.print());
  }
}

/** Saves all rows of a list. @param whole null if its page has them. @param rows read when they are there. */
export async function saveWhole(
  name: string,
  whole: Whole | null,
  rows: () => readonly (readonly SavedCell[])[],
): Promise<void> {
  if (loadingWhole.value !== null) {
    return;
  }
  isSaving.value = true;
  try {
    if (await loadWhole(whole === null ? [] : [whole], MOST_SAVED)) {
      saveCsv(name, rows());
    }
  } finally {
    dropWholes();
    isSaving.value = false;
  }
}

/** Whether all rows of the lists are there, with what these ask for. */
async function loadWhole(lists: readonly Whole[], most: number): Promise<boolean> {
  if (loadingWhole.value !== null) {
    return false;
  }
  const stop = new AbortController();
  const show = (done: number, of: number) => {
    loadingWhole.value = { done, of, stop: () => stop.abort() };
  };
  show(0, 1);
  loaded = lists;
  try {
    for (const whole of lists) {
      await whole.load(most, stop.signal, show);
    }
    await untilQuiet(stop.signal);
    return true;
  } catch (error) {
    dropWholes();
    if (!stop.signal.aborted) {
      toastRefusal(problemText(asApiError(error)));
    }
    return false;
  } finally {
    loadingWhole.value = null;
  }
}

/** Waits until all that the rows ask for is there and drawn; an answer can lead to another question. */
async function untilQuiet(stop: AbortSignal): Promise<void> {
  for (let checks = 0; checks < 3; checks = isQuiet() ? checks + 1 : 0) {
    await new Promise((done) => setTimeout(done, 50));
    stop.throwIfAborted();
  }
}

function dropWholes(): void {
  for (const whole of loaded) {
    whole.drop();
  }
  loaded = [];
}

/** Prints in light colours, whatever the screen has; by its keys, all rows. */
export function watchPrinting(): void {
  window.addEventListener('keydown', (event) => {
    if (
      wholes.size > 0 &&
      (event.ctrlKey || event.metaKey) &&
      !event.shiftKey &&
      event.key.toLowerCase() === 'p'
    ) {
      event.preventDefault();
      void printWhole();
    }
  });
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
    dropWholes();
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
  const fields = document.querySelectorAll<HTMLInputElement | HTMLSelectElement | HTMLAnchorElement>(
    '.main :is(.filters, .report-filters) :is(input, select, .field-chip):not(.field-filter *)',
  );
  return [...fields].flatMap((field) => {
    if (field instanceof HTMLAnchorElement) {
      return field.textContent.trim();
    }
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
