import type { Logger } from 'pino';
import type { Registry as MetricRegistry } from 'prom-client';
import type { Pool } from '../../db/timescale/connections/client.ts';
import { AlertTurns, type TurnTaken } from '../../domain/alerts/deriving/take-turn.ts';
import { wakeSealer } from '../../domain/moves/wake-sealer.ts';
import type { Lifecycle } from '../../platform/runtime/lifecycle.ts';
import { repeat } from '../../platform/runtime/repeat.ts';
import { measureAlerts } from './metrics/measure-alerts.ts';

/** Milliseconds. */
const DERIVE_EVERY = 1_000;
const WARN_EVERY = 60_000;

/** Turns at once while there is more to do than goes into one. */
const TURNS_AT_ONCE = 40;

/** Derives alerts where no other process does. */
export async function startAlerts(
  pool: Pool,
  { log, lifecycle, metrics }: { log: Logger; lifecycle: Lifecycle; metrics: MetricRegistry },
): Promise<void> {
  const turns = new AlertTurns(pool, {
    onTold: wakeSealer(pool),
    onSetAside: ({ orgId, error: err }) =>
      log.error(
        { orgId, err },
        'Alerts of the organization cannot be derived; they wait and are tried again, the others go on',
      ),
    onUnknown: (unknown) =>
      log.warn(
        unknown,
        'Alerts of something cannot be derived, as too much is known of it; will retry in an hour',
      ),
    onMended: (orgId) => log.info({ orgId }, 'Alerts of the organization are derived again'),
  });
  let nextWarning = 0;
  let last: TurnTaken = 'nothing_to_do';
  const derive = async () => {
    for (let turn = 0; turn < TURNS_AT_ONCE; turn++) {
      const before = last;
      last = await turns.take();
      if (isDeriving(last) && !isDeriving(before)) {
        log.info({}, 'Deriving alerts');
      }
      if (last !== 'behind' || lifecycle.stopping.aborted) {
        return;
      }
    }
  };
  await lifecycle.start(
    'alerts',
    () =>
      repeat(DERIVE_EVERY, derive, (err) => {
        if (Date.now() >= nextWarning) {
          nextWarning = Date.now() + WARN_EVERY;
          log.warn({ err }, 'Alerts could not be derived; will retry');
        }
      }),
    (started) => started.stop(),
  );
  measureAlerts(metrics, () => turns.firstLooks, pool);
}

function isDeriving(taken: TurnTaken): boolean {
  return taken === 'derived' || taken === 'behind';
}
