import { useEffect, useRef } from 'preact/hooks';
import { onAlerts, onReset } from './live.ts';

/** Milliseconds between two reads of data that alerts change. */
const RELOAD_MS = 1_000;

/** Reads again after alerts were opened, acknowledged, closed or withdrawn, or may have been; at intervals if there are many. */
export function useReloadOnAlerts(reload: () => void): void {
  const newest = useRef(reload);
  newest.current = reload;
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const reloadSoon = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        newest.current();
      }, RELOAD_MS);
    };
    const ends = [onAlerts(reloadSoon), onReset(reloadSoon)];
    return () => {
      for (const end of ends) {
        end();
      }
      clearTimeout(timer);
    };
  }, []);
}
