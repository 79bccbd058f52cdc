import { useEffect, useRef } from 'preact/hooks';

/** Calls `again` periodically while the page is visible. */
export function useRepeat(again: () => void, milliseconds: number): void {
  const latest = useRef(again);
  latest.current = again;
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && latest.current(), milliseconds);
    return () => clearInterval(timer);
  }, [milliseconds]);
}
