import { useEffect, useState } from 'preact/hooks';
import { MOST_NAMED, readOfMany } from './send.ts';
import { useRead } from './use-read.ts';
import { writesTo } from './writes.ts';

/** Keys whose names are asked for before any is shown. */
const AT_ONCE = 1_000;

export type ItemResource = 'assets' | 'locations';

/** Names by key, as far as known. Each is asked for once, and again after a write here. */
export function useNames(resource: ItemResource, keys: Iterable<string | null>): ReadonlyMap<string, string> {
  const [asked, setAsked] = useState<ReadonlySet<string>>(new Set());
  const [names, setNames] = useState<ReadonlyMap<string, string>>(new Map());
  const missing = [...new Set(keys)].filter((key) => key !== null && !asked.has(key)).slice(0, AT_ONCE);
  const { answer, isCurrent } = useRead<{ data: readonly { external_key: string; name: string }[] }>(
    missing.length === 0 ? null : `/${resource}`,
    { external_key: missing as string[], limit: MOST_NAMED.string, include_not_in_effect: true },
    readOfMany,
  );
  useEffect(() => {
    if (answer !== undefined && isCurrent) {
      setAsked((before) => new Set([...before, ...(missing as string[])]));
      setNames(
        (before) =>
          new Map([...before, ...answer.data.map((item) => [item.external_key, item.name] as const)]),
      );
    }
  }, [answer, isCurrent]);
  useEffect(() => setAsked(new Set()), [writesTo(`/${resource}`)]);
  return names;
}
