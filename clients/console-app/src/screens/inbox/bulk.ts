import { signal } from '@preact/signals';
import type { ApiError } from '../../api/api-error.ts';
import { NO_READS, type ReplayedReads, sumOfReads } from '../../api/replayed-reads.ts';
import { post } from '../../api/send.ts';
import { asApiError } from '../../api/use-read.ts';

/** Which messages: these, or all open ones that a filter leaves. */
export type Which = { ids: readonly number[] } | { all: true; reader_id?: number; q?: string };

export interface Bulk {
  kind: 'replay' | 'dismiss';
  of: number;
  replayed: number;
  rejected: number;
  cut: number;
  reads: ReplayedReads;
  dismissed: readonly number[];
  isOver: boolean;
  problem: ApiError | null;
}

/** What is under way; it goes on while other screens are looked at, and ends with the page. */
export const bulk = signal<Bulk | null>(null);

let isStopped = false;

export function stopBulk(): void {
  isStopped = true;
}

export function doneOf({ replayed, rejected, cut, dismissed }: Bulk): number {
  return replayed + rejected + cut + dismissed.length;
}

interface Part extends Partial<ReplayedReads> {
  replayed?: number;
  rejected?: number;
  cut?: number;
  ids?: readonly number[];
  next: number | null;
}

/**
 * Replays or dismisses part by part, as the server does them; each message is done as a whole or not at all, so it can be
 * stopped at any time and begun again.
 */
export async function startBulk(kind: Bulk['kind'], which: Which, of: number): Promise<Bulk> {
  isStopped = false;
  let now: Bulk = {
    ...{
      kind,
      of,
      replayed: 0,
      rejected: 0,
      cut: 0,
      reads: NO_READS,
      dismissed: [],
      isOver: false,
      problem: null,
    },
  };
  bulk.value = now;
  let after: number | null = 0;
  while (after !== null && !isStopped) {
    const part: Part | ApiError = await post<{ data: Part }>(`/rejected/${kind}`, { ...which, after }).then(
      ({ data }) => data,
      asApiError,
    );
    if (part instanceof Error) {
      now = { ...now, problem: part };
      break;
    }
    now = {
      ...now,
      replayed: now.replayed + (part.replayed ?? 0),
      rejected: now.rejected + (part.rejected ?? 0),
      cut: now.cut + (part.cut ?? 0),
      reads: sumOfReads(now.reads, { ...NO_READS, ...part }),
      dismissed: [...now.dismissed, ...(part.ids ?? [])],
    };
    bulk.value = now;
    after = part.next;
  }
  now = { ...now, isOver: true };
  bulk.value = now.problem === null ? null : now;
  return now;
}
