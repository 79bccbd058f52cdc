/** Pixels that a hand moves in clicking. */
const STILL = 4;

export interface Drag {
  /** Pixels since the last call. */
  onMove: (dx: number, dy: number, event: PointerEvent) => void;
  /** Not called for a click. */
  onDrop?: (event: PointerEvent) => void;
  onEnd?: () => void;
}

/** Follows a pointer that went down on an element, wherever it goes, until it is up; and tells a drag from a click. */
export function followPointer(event: PointerEvent, { onMove, onDrop, onEnd }: Drag): void {
  const { currentTarget: element, pointerId, button } = event;
  if (button !== 0 || element === null) {
    return;
  }
  const begun = { x: event.clientX, y: event.clientY };
  let last = begun;
  let isDragging = false;
  const move = (next: PointerEvent) => {
    if (next.pointerId !== pointerId) {
      return;
    }
    isDragging ||= Math.hypot(next.clientX - begun.x, next.clientY - begun.y) > STILL;
    if (isDragging) {
      onMove(next.clientX - last.x, next.clientY - last.y, next);
      last = { x: next.clientX, y: next.clientY };
    }
  };
  const end = (next: PointerEvent) => {
    if (next.pointerId !== pointerId) {
      return;
    }
    document.removeEventListener('pointermove', move);
    document.removeEventListener('pointerup', end);
    document.removeEventListener('pointercancel', end);
    if (isDragging) {
      // The event right after it is no click.
      const swallow = (click: Event) => click.preventDefault();
      element.addEventListener('click', swallow, { capture: true });
      setTimeout(() => element.removeEventListener('click', swallow, { capture: true }));
      onEnd?.();
      if (next.type === 'pointerup') {
        onDrop?.(next);
      }
    }
  };
  document.addEventListener('pointermove', move);
  document.addEventListener('pointerup', end);
  document.addEventListener('pointercancel', end);
}
