import { createWritePool } from '../../../db/timescale/connections/pool.ts';
import { MOVES_SEALED } from '../../../domain/moves/sealed-announcement.ts';
import { Deliverer } from '../../../domain/webhooks/delivery/deliverer.ts';
import type { SecretsKeys } from '../../../domain/webhooks/secrets/secrets-key.ts';
import type { Agents } from '../../../domain/webhooks/sending/agents.ts';
import { countAttempts, countSettled, measureWebhooks } from '../metrics/measure-webhooks.ts';
import type { Job, JobParts } from './job.ts';

/** Connections to read events and to record deliveries; leases, which must not wait behind them, have another. */
const CONNECTIONS = 3;

/** Delivers webhooks, together with every other process that does. */
export function deliverWebhooks(
  url: string,
  { keys, agents, log, metrics, pool }: JobParts & { keys: SecretsKeys; agents: Agents },
): Job {
  const session = { name: 'tagtrail webhooks' };
  const onAttempt = countAttempts(metrics);
  const onSettled = countSettled(metrics);
  let current: Deliverer | null = null;
  measureWebhooks(metrics, () => current, pool);
  return {
    ...{ name: 'deliver-webhooks', lock: null, session },
    ...{ wokenBy: [MOVES_SEALED], rest: 1_000 },
    begin: (leases) => {
      const db = createWritePool(url, { max: CONNECTIONS, applicationName: session.name });
      const deliverer = new Deliverer({ db, leases, keys, agents, log, onAttempt, onSettled });
      current = deliverer;
      return {
        turn: () => deliverer.turn(),
        hear: () => deliverer.look(),
        end: async () => {
          current = null;
          await deliverer.stop();
          agents.end();
          await db.end();
        },
      };
    },
  };
}
