import { signal } from '@preact/signals';
import { Icon } from '../../../ui/parts/icon.tsx';
import { texts } from '../texts/texts.ts';

interface Toast {
  id: number;
  text: string;
  undo: (() => unknown) | undefined;
  isRefusal: boolean;
}

const toasts = signal<readonly Toast[]>([]);
let last = 0;

const SHOWN_MS = 6_000;

/** With *Undo*: somebody has to read it, and to get there. */
const SHOWN_WITH_UNDO_MS = 20_000;

/** After the pointer or the focus has left. */
const LEFT_MS = 1_500;

/** Says in passing that something was done; with `undo`, how to take it back. It stays while it is attended to. */
export function toast(text: string, undo?: () => unknown): void {
  add({ text, undo, isRefusal: false }, undo === undefined ? SHOWN_MS : SHOWN_WITH_UNDO_MS);
}

/** Says that something was not done, and why. */
export function toastRefusal(text: string): void {
  add({ text, undo: undefined, isRefusal: true }, SHOWN_WITH_UNDO_MS);
}

function add(toast: Omit<Toast, 'id'>, milliseconds: number): void {
  last += 1;
  const id = last;
  toasts.value = [...toasts.value.slice(-2), { id, ...toast }];
  endUnattended(id, milliseconds);
}

export function Toasts() {
  return (
    <div class="toasts" role="status">
      {toasts.value.map(({ id, text, undo, isRefusal }) => (
        <div class={isRefusal ? 'toast toast-refused' : 'toast'} key={id}>
          <Icon name={isRefusal ? 'alert' : 'check'} />
          <span>{text}</span>
          {undo !== undefined && (
            <button
              type="button"
              onClick={() => {
                end(id);
                undo();
              }}
            >
              {texts.value.common.undo}
            </button>
          )}
        </div>
      ))}
    </div>
  );
}

/** None goes while one is pointed at, so that none moves under the pointer. */
function endUnattended(id: number, milliseconds: number): void {
  setTimeout(() => {
    if (document.querySelector('.toast:is(:hover, :focus-within)') === null) {
      end(id);
    } else {
      endUnattended(id, LEFT_MS);
    }
  }, milliseconds);
}

function end(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}
