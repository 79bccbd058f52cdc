import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { listen } from '../../../db/timescale/connections/listen.ts';
import { createWritePool } from '../../../db/timescale/connections/pool.ts';
import { MOVES_SEALED } from '../../../domain/moves/sealed-announcement.ts';
import { Deliverer } from '../../../domain/webhooks/delivery/deliverer.ts';
import type { Lifecycle } from '../../../platform/runtime/lifecycle.ts';
import type { WebhookParts } from '../serving/webhook-parts.ts';
import { countAttempts, measureWebhooks } from './measure-webhooks.ts';

/** Connections to read events and to record deliveries; one more for leases, one for notifications. */
const CONNECTIONS = 3;

/** Delivers webhooks, together with every other process that does. */
export async function startWebhooks(
  url: string,
  { keys, agents }: WebhookParts,
  { log, lifecycle, registry }: { log: Logger; lifecycle: Lifecycle; registry: Registry },
): Promise<void> {
  const [db, leases] = await lifecycle.start(
    'database of webhooks',
    () =>
      [
        createWritePool(url, { max: CONNECTIONS, applicationName: 'tagtrail webhooks' }),
        createWritePool(url, { max: 1, applicationName: 'tagtrail webhooks' }),
      ] as const,
    (pools) => Promise.all(pools.map((pool) => pool.end())),
  );
  const deliverer = new Deliverer({ db, leases, keys, agents, log, onAttempt: countAttempts(registry) });
  measureWebhooks(registry, deliverer, leases);
  await lifecycle.start(
    'announcements for webhooks',
    () =>
      listen(url, [MOVES_SEALED], {
        onNotify: () => deliverer.look(),
        onReconnect: () => deliverer.look(),
        onLost: ({ message }) =>
          log.warn({ reason: message }, 'Moves are not being announced; webhooks look for them every second'),
      }),
    (listener) => listener.close(),
  );
  await lifecycle.start(
    'webhooks',
    () => deliverer.start(),
    () => deliverer.stop(),
  );
}
