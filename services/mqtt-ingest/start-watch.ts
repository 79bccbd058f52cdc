import type { Logger } from 'pino';
import type { Clock } from '../../base/clock.ts';
import { MICROS_PER_MILLISECOND } from '../../base/instant.ts';
import type { Pool } from '../../db/timescale/connections/client.ts';
import { IntakeWatch } from '../../domain/presence/watching/watch.ts';
import type { Lifecycle } from '../../platform/runtime/lifecycle.ts';
import { repeat } from '../../platform/runtime/repeat.ts';
import type { Intake } from './intake/intake.ts';

/** Milliseconds. */
const NOTE_EVERY = 1_000;
const STORE_EVERY = 2_000;
const WARN_EVERY = 60_000;

/**
 * Records when this process could hear; silences of readers are derived from it.
 *
 * @param quietFor milliseconds since the broker was last heard, 0 for the embedded one; null without a connection.
 */
export async function startWatch(
  {
    pool,
    clock,
    intake,
    quietFor,
  }: { pool: Pool; clock: Clock; intake: Pick<Intake, 'settledUpTo'>; quietFor(): number | null },
  { log, lifecycle }: { log: Logger; lifecycle: Lifecycle },
): Promise<void> {
  const watch = new IntakeWatch();
  const note = () => {
    const quiet = quietFor();
    const settledUpTo = intake.settledUpTo();
    watch.note(
      clock(),
      quiet === null ? null : { settledUpTo, quietFor: Math.round(quiet * MICROS_PER_MILLISECOND) },
    );
  };
  await lifecycle.start(
    'watch of ingestion',
    async () => setInterval(note, NOTE_EVERY),
    async (started) => clearInterval(started),
  );
  let nextWarning = 0;
  await lifecycle.start(
    'stored watch of ingestion',
    () =>
      repeat(
        STORE_EVERY,
        () => watch.store(pool),
        (err) => {
          if (Date.now() >= nextWarning) {
            nextWarning = Date.now() + WARN_EVERY;
            log.warn({ err }, 'Listening times of this process could not be stored; will retry');
          }
        },
      ),
    (started) => started.stop(),
  );
}
