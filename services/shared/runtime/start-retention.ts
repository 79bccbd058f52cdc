import type pg from 'pg';
import type { Logger } from 'pino';
import { sweep } from '../../../db/timescale/retention.ts';
import type { Lifecycle } from './lifecycle.ts';
import { repeat } from './repeat.ts';

/** Has what is older than `retentionDays` dropped, now and every hour, until the process stops. */
export async function startRetention(
  pool: pg.Pool,
  retentionDays: number,
  { log, lifecycle }: { log: Logger; lifecycle: Lifecycle },
): Promise<void> {
  await lifecycle.start(
    'retention',
    () =>
      repeat(
        SWEEP_EVERY,
        () => sweep(pool, retentionDays),
        (err) =>
          log.warn({ err }, 'What is too old to be kept could not be dropped; it is tried again later'),
      ),
    (started) => started.stop(),
  );
}

/** Milliseconds. */
const SWEEP_EVERY = 3_600_000;
