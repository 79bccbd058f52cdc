import { ADVISORY_LOCKS } from '../../db/timescale/connections/advisory-locks.ts';
import { type Awaiting, awaitLock } from '../../db/timescale/connections/await-lock.ts';
import { Client } from '../../db/timescale/connections/client.ts';
import { connectionConfig } from '../../db/timescale/connections/connection.ts';
import { createWritePool } from '../../db/timescale/connections/pool.ts';
import { type Beginning, type BegunSoFar, beginFeed, organizationsToBegin } from './beginning/begin-feed.ts';
import { hasEarlierProcesses, noneOfEarlier } from './beginning/earlier-processes.ts';
import { wakeSealer } from './wake-sealer.ts';

export interface BeginningAll extends Awaiting, Pick<Beginning, 'onProgress' | 'most'> {
  /**
   * Called when it waits for processes of an earlier version to end: they record without telling the feed, so their
   * changes to histories already in it would be missing.
   */
  onEarlier?: () => void;
  /** Returns rather than wait for those, and leaves it to another process. */
  isImpatient?: boolean;
}

/**
 * Backfills the feed with the histories from before it, one organization at a time. One process does it, the others
 * wait. It needs a running sealer, and waits for one.
 *
 * @returns one entry for each organization that had any.
 */
export async function beginFeeds(
  url: string,
  { onWaiting, signal, onProgress, most, onEarlier, isImpatient = false }: BeginningAll = {},
): Promise<(BegunSoFar & { isFinished: boolean })[]> {
  const holder = new Client(connectionConfig(url, 'tagtrail feed beginning'));
  await holder.connect();
  const pool = createWritePool(url, { max: 1, applicationName: 'tagtrail feed beginning', patience: null });
  const onMoves = wakeSealer(pool);
  const done: Awaited<ReturnType<typeof beginFeeds>> = [];
  try {
    if (!(await awaitLock(holder, ADVISORY_LOCKS.feedBeginning, { signal, onWaiting, every: 1_000 }))) {
      return done;
    }
    const orgIds = await organizationsToBegin(holder);
    if (orgIds.length > 0 && (await hasEarlierProcesses(holder))) {
      onEarlier?.();
      if (isImpatient) {
        return done;
      }
      await noneOfEarlier(holder, signal);
    }
    for (const orgId of orgIds) {
      const begun = await beginFeed(pool, orgId, { signal, onProgress, onMoves, most });
      if (begun.of > 0) {
        done.push(begun);
      }
    }
    return done;
  } finally {
    await Promise.all([pool.end(), holder.end()]);
  }
}
