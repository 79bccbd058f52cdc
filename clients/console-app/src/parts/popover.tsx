import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';

/** A button and its pop-up. Esc and a click elsewhere close it, and the focus returns. */
export function Popover({
  label,
  face,
  class: name = '',
  children,
}: {
  label: string;
  face: ComponentChildren;
  class?: string;
  /** Or what makes them, with a function that closes the pop-up. */
  children: ComponentChildren | ((close: () => void) => ComponentChildren);
}) {
  const [isOpen, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  useClosing(box, isOpen, close, () => setOpen(false));
  return (
    <div class={`popover ${name}`} ref={box}>
      <button
        ref={button}
        type="button"
        class="popover-button"
        title={label}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        {face}
      </button>
      {isOpen && (
        <section class="popover-panel" id={id} aria-label={label}>
          {typeof children === 'function' ? children(close) : children}
        </section>
      )}
    </div>
  );
}

/** Esc and a click elsewhere, while it is open. */
function useClosing(
  box: { current: HTMLElement | null },
  isOpen: boolean,
  onEscape: () => void,
  onElsewhere: () => void,
): void {
  useEffect(() => {
    if (!isOpen) {
      return undefined;
    }
    // What asks the user something stands above it.
    const isAbove = ({ target }: Event) =>
      target instanceof Element && target.closest('dialog') !== box.current?.closest('dialog');
    const onDown = (event: Event) =>
      box.current?.contains(event.target as Node) === true || isAbove(event) || onElsewhere();
    const onKey = (event: KeyboardEvent) => event.key === 'Escape' && !isAbove(event) && onEscape();
    document.addEventListener('pointerdown', onDown);
    document.addEventListener('keydown', onKey);
    return () => {
      document.removeEventListener('pointerdown', onDown);
      document.removeEventListener('keydown', onKey);
    };
  }, [isOpen]);
}
