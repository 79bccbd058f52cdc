import type { Logger } from 'pino';
import type { Clock } from '../../base/clock.ts';
import { MICROS_PER_MILLISECOND } from '../../base/instant.ts';
import type { Pool } from '../../db/timescale/connections/client.ts';
import { GapLearner } from '../../domain/presence/coverage/learn-gaps.ts';
import { SilenceTurns } from '../../domain/presence/silence/take-turn.ts';
import { IntakeWatch } from '../../domain/presence/watching/watch.ts';
import type { Lifecycle } from '../../platform/runtime/lifecycle.ts';
import { repeat } from '../../platform/runtime/repeat.ts';
import type { Intake } from './intake/intake.ts';

/** Milliseconds. */
const NOTE_EVERY = 1_000;
const DERIVE_EVERY = 2_000;
const WARN_EVERY = 60_000;

/** Turns in a row while work is left. */
const TURNS_AT_ONCE = 10;

/**
 * Keeps up when this process could hear; where no other process does, derives which readers are silent, and learns how
 * often things are read at locations.
 *
 * @param quietFor milliseconds since the broker was last heard, 0 if it is in this process; null while there is no
 * connection to it.
 */
export async function startPresence(
  {
    pool,
    clock,
    intake,
    quietFor,
  }: { pool: Pool; clock: Clock; intake: Pick<Intake, 'settledUpTo'>; quietFor(): number | null },
  { log, lifecycle }: { log: Logger; lifecycle: Lifecycle },
): Promise<void> {
  const watch = new IntakeWatch();
  const turns = new SilenceTurns(pool, ({ orgId, error: err }) =>
    log.error({ orgId, err }, 'Silences of readers of one organization could not be derived; will retry'),
  );
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
  const gaps = new GapLearner();
  const warnings = new Map<string, number>();
  const warn = (message: string) => (err: unknown) => {
    if (Date.now() >= (warnings.get(message) ?? 0)) {
      warnings.set(message, Date.now() + WARN_EVERY);
      log.warn({ err }, message);
    }
  };
  const derive = async () => {
    for (let turn = 0; turn < TURNS_AT_ONCE; turn++) {
      await watch.store(pool);
      await turns.take();
      if (!turns.isBehind || lifecycle.stopping.aborted) {
        return;
      }
    }
  };
  await lifecycle.start(
    'silences of readers',
    () => repeat(DERIVE_EVERY, derive, warn('Silences of readers could not be derived; will retry')),
    (started) => started.stop(),
  );
  // A job of its own, because a location with much history would delay silences.
  await lifecycle.start(
    'gaps of locations',
    () =>
      repeat(
        DERIVE_EVERY,
        async () => {
          if (turns.isDeriving) {
            await gaps.turn(pool, clock());
          }
        },
        warn('The gap of a location could not be learned; will retry'),
      ),
    (started) => started.stop(),
  );
}
