import { useEffect, useState } from 'preact/hooks';
import { Icon } from '../../../../ui/parts/icon.tsx';
import { read } from '../../api/send.ts';
import type { QueryValues } from '../../router/address.ts';

/** New rows wait here, so that none moves under the finger. */
export function NewLine({ count, text, onShow }: { count: number; text: string; onShow: () => void }) {
  return (
    <div class="new-line" role="status">
      {count > 0 && (
        <button type="button" onClick={onShow}>
          <Icon name="up" />
          {text}
        </button>
      )}
    </div>
  );
}

const EVERY_MS = 10_000;

/**
 * The number of new rows since a list was read, as `query` asks for them; polled, and read when the window gets the
 * focus. The shown rows stay. Null asks for nothing.
 */
export function useNewCount(path: string, query: QueryValues | null): number {
  const [count, setCount] = useState(0);
  const key = JSON.stringify(query);
  useEffect(() => {
    setCount(0);
    if (query === null) {
      return undefined;
    }
    const stop = new AbortController();
    const ask = async () => {
      if (!document.hidden) {
        const sent = { query: { ...query, limit: 1 }, signal: stop.signal };
        // A refused request is repeated soon.
        const answer = await read<{ total_count: number }>(path, sent).catch(() => null);
        if (answer !== null && !stop.signal.aborted) {
          setCount(answer.total_count);
        }
      }
    };
    const timer = setInterval(ask, EVERY_MS);
    window.addEventListener('focus', ask);
    return () => {
      stop.abort();
      clearInterval(timer);
      window.removeEventListener('focus', ask);
    };
  }, [path, key]);
  return count;
}
