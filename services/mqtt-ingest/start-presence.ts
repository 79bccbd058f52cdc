import type { Logger } from 'pino';
import type { Clock } from '../../base/clock.ts';
import type { Pool } from '../../db/timescale/connections/client.ts';
import { SilenceTurns } from '../../domain/presence/silence/take-turn.ts';
import { IntakeWatch } from '../../domain/presence/watching/watch.ts';
import type { Lifecycle } from '../../platform/runtime/lifecycle.ts';
import { repeat } from '../../platform/runtime/repeat.ts';
import type { Intake } from './intake/intake.ts';

/** Milliseconds. */
const EVERY = 1_000;
const WARN_EVERY = 60_000;

/** Keeps up when this process could hear, and derives which readers are silent where no other process does. */
export async function startPresence(
  {
    pool,
    clock,
    intake,
    isConnected,
  }: { pool: Pool; clock: Clock; intake: Pick<Intake, 'settledUpTo'>; isConnected(): boolean },
  { log, lifecycle }: { log: Logger; lifecycle: Lifecycle },
): Promise<void> {
  const watch = new IntakeWatch();
  const turns = new SilenceTurns(pool);
  let nextWarning = 0;
  await lifecycle.start(
    'silences of readers',
    () =>
      repeat(
        EVERY,
        async () => {
          await watch.note(pool, clock(), isConnected() ? intake.settledUpTo() : null);
          await turns.take();
        },
        (err) => {
          if (Date.now() >= nextWarning) {
            nextWarning = Date.now() + WARN_EVERY;
            log.warn({ err }, 'Silences of readers could not be derived; will retry');
          }
        },
      ),
    (started) => started.stop(),
  );
}
