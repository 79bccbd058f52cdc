import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { InboxCounts } from '../api/types.ts';
import { useRead, useRepeat } from '../api/use-read.ts';
import { writesTo } from '../api/writes.ts';
import { membership } from '../session/session.ts';

/** Up to a hundred of each; null until they are known. */
export const inboxCounts = signal<InboxCounts | null>(null);

export function inboxCount(): number {
  return Object.values(inboxCounts.value ?? {}).reduce((sum, count) => sum + count, 0);
}

/** The count that a list has just reported, until it is counted again. Undefined: the list was filtered. */
export function useKnownCount(name: keyof InboxCounts, count: number | undefined): void {
  useEffect(() => {
    const counts = inboxCounts.value;
    if (count !== undefined && counts !== null) {
      inboxCounts.value = { ...counts, [name]: Math.min(count, 100) };
    }
  }, [count, inboxCounts.value?.[name]]);
}

/** Milliseconds. The server counts once in five seconds for everybody. */
const EVERY_MS = 30_000;
const AFTER_WRITE_MS = 5_500;

/** Keeps {@link inboxCounts} up to date while somebody looks. */
export function useInboxCounts(): void {
  const { answer, reload } = useRead<{ data: InboxCounts }>(membership.value === null ? null : '/inbox');
  const writes = writesTo('/unknown-tags') + writesTo('/rejected') + writesTo('/assets');
  useEffect(() => {
    inboxCounts.value = answer?.data ?? null;
  }, [answer]);
  useRepeat(reload, EVERY_MS);
  useEffect(() => {
    if (writes === 0) {
      return undefined;
    }
    const timer = setTimeout(reload, AFTER_WRITE_MS);
    return () => clearTimeout(timer);
  }, [writes]);
}
