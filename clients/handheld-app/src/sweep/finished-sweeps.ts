import type { IDBPTransaction } from 'idb';
import type { SweepReport } from '../gateway/answers.ts';
import { type Database, STRICT } from '../storage/database.ts';
import type { Sweep } from './sweep.ts';

/**
 * A finished sweep that the gateway has not recorded. Its report is what its screen shows, so it is settled late:
 *
 * finished (on the screen, where answers to its scans still come in) -> told (the user is done with it) -> ready (sent
 * under its id, once or more) -> recorded, and deleted here; or refused
 *
 * Stored one by one in `kept`, which earlier versions of the app have as well.
 */
export interface FinishedSweep {
  sweep_id: string;
  sweep: Sweep;
  /** Number of the last scan before its end: it is sent after that. */
  after: number;
  /** Identifies a correction of its times. */
  mark: number;
  state: 'finished' | 'told' | 'ready' | 'refused';
  /** Null until settled: when the user sees the result or, if the expected assets were unknown by then, before it is sent. */
  report: SweepReport | null;
  reason: string | null;
}

export type Writing = IDBPTransaction<SchemaOf<Database>, ('kept' | 'scans')[], 'readwrite'>;
type SchemaOf<T> = T extends import('idb').IDBPDatabase<infer Schema> ? Schema : never;

const PREFIX = 'finished ';
const allOfThem = () => IDBKeyRange.bound(PREFIX, `${PREFIX}~`);

export async function finishedSweeps(database: Database): Promise<FinishedSweep[]> {
  return inOrder(await database.getAll('kept', allOfThem()));
}

function inOrder(kept: readonly unknown[]): FinishedSweep[] {
  return (kept as FinishedSweep[]).toSorted(
    (a, b) => a.after - b.after || a.sweep_id.localeCompare(b.sweep_id),
  );
}

/** Queues a finished sweep in the transaction that stores it. */
export async function queueFinished(
  transaction: Writing,
  sweep: Sweep,
  { sweep_id, mark }: { sweep_id: string; mark: number },
): Promise<void> {
  const last = await transaction.objectStore('scans').openKeyCursor(null, 'prev');
  const finished: FinishedSweep = {
    ...{ sweep_id, sweep, after: last?.key ?? 0, mark },
    ...{ state: 'finished', report: null, reason: null },
  };
  await transaction.objectStore('kept').put(finished, PREFIX + sweep_id);
}

/** Removes a finished sweep from the queue to continue it, unless it was sent. */
export async function unqueueFinished(transaction: Writing, sweepId: string): Promise<void> {
  const kept = transaction.objectStore('kept');
  for (const each of inOrder(await kept.getAll(allOfThem()))) {
    if (each.sweep.id === sweepId && each.state === 'finished') {
      await kept.delete(PREFIX + each.sweep_id);
    }
  }
}

/** The next to be sent: everything scanned before its end is answered, or refused. */
export async function nextFinished(database: Database): Promise<FinishedSweep | null> {
  const [first] = (await finishedSweeps(database)).filter(({ state }) => state !== 'refused');
  if (first === undefined) {
    return null;
  }
  const transaction = database.transaction('scans');
  const state = transaction.store.index('state');
  const waiting = [await state.getKey('queued'), await state.getKey('bundled')];
  return waiting.some((seq) => seq !== undefined && seq <= first.after) ? null : first;
}

/**
 * Changes a finished sweep, which another tab may have changed meanwhile.
 *
 * @param change returns null to delete it.
 * @returns what it is now; null if it is gone.
 */
export async function changeFinished(
  database: Database,
  sweepId: string,
  change: (now: FinishedSweep) => FinishedSweep | null,
): Promise<FinishedSweep | null> {
  const transaction = database.transaction('kept', 'readwrite', STRICT);
  const now = (await transaction.store.get(PREFIX + sweepId)) as FinishedSweep | undefined;
  const next = now === undefined ? null : change(now);
  if (next?.sweep_id !== now?.sweep_id) {
    await transaction.store.delete(PREFIX + sweepId);
  }
  if (next !== null) {
    await transaction.store.put(next, PREFIX + next.sweep_id);
  }
  await transaction.done;
  return next;
}

/** The user is done with it; its record is settled later. */
export function asTold(now: FinishedSweep): FinishedSweep {
  return now.state === 'finished' ? { ...now, state: 'told' } : now;
}

/** Shifts its times by milliseconds, by mark, until it is sent: the device's clock was set since. */
export async function correctFinished(
  database: Database,
  corrections: ReadonlyMap<number, number>,
): Promise<void> {
  for (const { sweep_id, mark } of corrections.size === 0 ? [] : await finishedSweeps(database)) {
    const milliseconds = corrections.get(mark) ?? 0;
    if (milliseconds !== 0) {
      await changeFinished(database, sweep_id, (now) => shifted(now, milliseconds));
    }
  }
}

function shifted(now: FinishedSweep, milliseconds: number): FinishedSweep {
  if (now.state !== 'finished' && now.state !== 'told') {
    return now;
  }
  const { sweep, report } = now;
  const shift = (time: string) => new Date(Date.parse(time) + milliseconds).toISOString();
  return {
    ...now,
    sweep: {
      ...sweep,
      started_at: shift(sweep.started_at),
      finished_at: sweep.finished_at === null ? null : shift(sweep.finished_at),
    },
    report: report && { ...report, began_at: shift(report.began_at), ended_at: shift(report.ended_at) },
  };
}
