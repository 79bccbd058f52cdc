import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';

/** Height of a row in pixels; the same in `now.css`. */
export const ROW = 36;

/** Rows beyond both edges, so that scrolling shows no gap before the next frame. */
const BEYOND = 12;

/** Which of many rows are in sight of `box`, which scrolls. */
export function useWindow(box: RefObject<HTMLElement | null>, count: number) {
  const [range, setRange] = useState({ first: 0, last: 40 });
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) {
      return undefined;
    }
    const measure = () => {
      const first = Math.max(0, Math.floor(element.scrollTop / ROW) - BEYOND);
      const last = Math.ceil((element.scrollTop + element.clientHeight) / ROW) + BEYOND;
      setRange((before) => (before.first === first && before.last === last ? before : { first, last }));
    };
    measure();
    const resized = new ResizeObserver(measure);
    resized.observe(element);
    element.addEventListener('scroll', measure, { passive: true });
    return () => {
      resized.disconnect();
      element.removeEventListener('scroll', measure);
    };
  }, [count]);
  return { first: Math.min(range.first, Math.max(0, count - 1)), last: Math.min(range.last, count) };
}
