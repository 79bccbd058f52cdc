import type { Viewport } from './viewport.ts';

/** Pixels that a hand moves in clicking. */
const STILL = 4;

interface Spot {
  x: number;
  y: number;
}

/**
 * Pans by one pointer, and zooms by two. What is below is clicked only if the pointer stayed where it was. Returns what
 * ends it.
 */
export function panByPointers(
  box: HTMLElement,
  change: (work: (viewport: Viewport) => void) => void,
): () => void {
  const down = new Map<number, Spot>();
  let begun: Spot | null = null;
  let isDragging = false;

  const onDown = (event: PointerEvent) => {
    const { target, pointerId, button } = event;
    if (button !== 0 || (target instanceof Element && target.closest('[data-drags]') !== null)) {
      return;
    }
    down.set(pointerId, { x: event.clientX, y: event.clientY });
    if (down.size === 1) {
      begun = { x: event.clientX, y: event.clientY };
      isDragging = false;
    }
  };
  const onMove = (event: PointerEvent) => {
    const before = down.get(event.pointerId);
    if (before === undefined || begun === null) {
      return;
    }
    const now = { x: event.clientX, y: event.clientY };
    isDragging ||= Math.hypot(now.x - begun.x, now.y - begun.y) > STILL || down.size > 1;
    if (!isDragging) {
      return;
    }
    box.classList.toggle('is-panned', down.size === 1);
    if (!box.hasPointerCapture(event.pointerId)) {
      box.setPointerCapture(event.pointerId);
    }
    const other = [...down].find(([id]) => id !== event.pointerId)?.[1];
    down.set(event.pointerId, now);
    if (other === undefined) {
      change((viewport) => viewport.panBy(now.x - before.x, now.y - before.y));
    } else {
      const { left, top } = box.getBoundingClientRect();
      const factor = distance(now, other) / Math.max(1, distance(before, other));
      const middle = { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 };
      change((viewport) => {
        viewport.panBy((now.x - before.x) / 2, (now.y - before.y) / 2);
        viewport.zoomBy(factor, middle.x - left, middle.y - top);
      });
    }
  };
  const onUp = (event: PointerEvent) => {
    down.delete(event.pointerId);
    box.classList.remove('is-panned');
  };
  const onClick = (event: MouseEvent) => {
    if (isDragging && event.detail > 0) {
      event.preventDefault();
      event.stopPropagation();
    }
    isDragging = false;
  };
  box.addEventListener('pointerdown', onDown);
  box.addEventListener('pointermove', onMove);
  box.addEventListener('pointerup', onUp);
  box.addEventListener('pointercancel', onUp);
  box.addEventListener('click', onClick, { capture: true });
  return () => {
    box.removeEventListener('pointerdown', onDown);
    box.removeEventListener('pointermove', onMove);
    box.removeEventListener('pointerup', onUp);
    box.removeEventListener('pointercancel', onUp);
    box.removeEventListener('click', onClick, { capture: true });
  };
}

function distance(a: Spot, b: Spot): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}
