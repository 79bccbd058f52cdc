import { signal } from '@preact/signals';
import { Icon } from '../../../ui/parts/icon.tsx';
import { texts } from '../texts/texts.ts';

interface Toast {
  id: number;
  text: string;
  undo: (() => unknown) | undefined;
}

const toasts = signal<readonly Toast[]>([]);
let last = 0;

const SHOWN_MS = 6_000;

/** Says in passing that something was done; with `undo`, how to take it back. */
export function toast(text: string, undo?: () => unknown): void {
  last += 1;
  const id = last;
  toasts.value = [...toasts.value.slice(-2), { id, text, undo }];
  setTimeout(() => end(id), SHOWN_MS);
}

export function Toasts() {
  return (
    <div class="toasts" role="status">
      {toasts.value.map(({ id, text, undo }) => (
        <div class="toast" key={id}>
          <Icon name="check" />
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

function end(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}
