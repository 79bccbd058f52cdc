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
  children: ComponentChildren;
}) {
  const [isOpen, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  useEffect(() => {
    if (!isOpen) {
      return undefined;
    }
    const onDown = (event: Event) => box.current?.contains(event.target as Node) === true || setOpen(false);
    const onEscape = (event: KeyboardEvent) => {
      if (event.key === 'Escape') {
        setOpen(false);
        button.current?.focus();
      }
    };
    document.addEventListener('pointerdown', onDown);
    document.addEventListener('keydown', onEscape);
    return () => {
      document.removeEventListener('pointerdown', onDown);
      document.removeEventListener('keydown', onEscape);
    };
  }, [isOpen]);
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
          {children}
        </section>
      )}
    </div>
  );
}
