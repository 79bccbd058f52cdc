import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { cancelsAllRunning } from '../../db/timescale/connections/cancel-running.ts';
import { createWritePool } from '../../db/timescale/connections/pool.ts';
import { mergeHeardStretches } from '../../db/timescale/schema/merge-heard-stretches.ts';
import { packReaderSpans } from '../../db/timescale/schema/pack-reader-spans.ts';
import { sweep } from '../../db/timescale/schema/retention.ts';
import { forgetAddresses } from '../../db/timescale/schema/retention-of-addresses.ts';
import { sweepMoves } from '../../db/timescale/schema/retention-of-moves.ts';
import type { Lifecycle } from './lifecycle.ts';
import { type Repeating, repeat } from './repeat.ts';

export interface RetentionConfig {
  DATABASE_URL: string;
  SCAN_RETENTION_DAYS: number;
  /** Null for good. */
  MOVES_RETENTION_DAYS: number | null;
  ADDRESS_RETENTION_DAYS: number;
}

/**
 * Drops expired data now and every hour until shutdown. It opens a connection of its own each time: without
 * chunks to drop it may take longer than a service waits for a statement.
 */
export async function startRetention(
  { DATABASE_URL, SCAN_RETENTION_DAYS, MOVES_RETENTION_DAYS, ADDRESS_RETENTION_DAYS }: RetentionConfig,
  { log, lifecycle }: { log: Logger; lifecycle: Lifecycle },
): Promise<void> {
  const pool = await lifecycle.start(
    'retention database',
    () => createWritePool(DATABASE_URL, { max: 1, applicationName: 'tagtrail retention', patience: null }),
    (started) => started.end(),
  );
  const cancelAll = cancelsAllRunning(pool);
  await lifecycle.start(
    'retention',
    () =>
      repeat(
        SWEEP_EVERY,
        async () => {
          await sweep(pool, SCAN_RETENTION_DAYS);
          await forgetAddresses(pool, ADDRESS_RETENTION_DAYS);
          await mergeHeardStretches(pool);
          await packReaderSpans(pool);
          if (MOVES_RETENTION_DAYS !== null) {
            await sweepMoves(pool, MOVES_RETENTION_DAYS);
          }
        },
        (err) => lifecycle.stopping.aborted || log.warn({ err }, 'Retention failed; will retry'),
      ),
    (started) => stopAtOnce(started, cancelAll),
  );
}

/** Its statements may take any time, or wait for a lock: what was not finished is done after the next start. */
async function stopAtOnce(repeating: Repeating, cancelAll: () => Promise<unknown>): Promise<void> {
  let isStopped = false;
  const stopped = repeating.stop().finally(() => {
    isStopped = true;
  });
  while (!isStopped) {
    // Between two statements a cancellation meets none.
    await cancelAll();
    await Promise.race([stopped, pause(CANCEL_EVERY, undefined, { ref: false })]);
  }
  await stopped;
}

const CANCEL_EVERY = 200;

const SWEEP_EVERY = 3_600_000;
