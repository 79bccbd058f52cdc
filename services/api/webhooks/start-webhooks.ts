import type { Logger } from 'pino';
import { Counter, Gauge, type Registry } from 'prom-client';
import { listen } from '../../../db/timescale/connections/listen.ts';
import { createWritePool } from '../../../db/timescale/connections/pool.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { MOVES_SEALED } from '../../../domain/moves/sealed-announcement.ts';
import { Deliverer } from '../../../domain/webhooks/delivery/deliverer.ts';
import { readFigures } from '../../../domain/webhooks/figures.ts';
import type { Attempt } from '../../../domain/webhooks/sending/deliver.ts';
import { STATES } from '../../../domain/webhooks/stored-webhook.ts';
import type { Lifecycle } from '../../../platform/runtime/lifecycle.ts';
import type { WebhookParts } from '../serving/webhook-parts.ts';

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

/** @returns what is to be called for each attempt. */
function countAttempts(registry: Registry): (attempt: Attempt) => void {
  const counter = new Counter({
    name: 'tagtrail_webhook_attempts_total',
    help: 'Requests to receivers of webhooks by their outcome: delivered, failed, refused (not sent: no address that may be reached), gone (410).',
    labelNames: ['outcome'] as const,
    registers: [registry],
  });
  for (const outcome of ['delivered', 'failed', 'refused', 'gone'] as const) {
    counter.inc({ outcome }, 0);
  }
  return ({ outcome }) => counter.inc({ outcome });
}

/** Exports what this process delivers, and how all webhooks are, which is read at every scrape. */
function measureWebhooks(registry: Registry, deliverer: Deliverer, db: Connection): void {
  new Gauge({
    name: 'tagtrail_webhooks_held',
    help: 'Webhooks that this process delivers for.',
    registers: [registry],
    collect() {
      this.set(deliverer.webhooks);
    },
  });
  new Gauge({
    name: 'tagtrail_webhook_requests_in_flight',
    help: 'Requests to receivers of webhooks that are under way.',
    registers: [registry],
    collect() {
      this.set(deliverer.sending);
    },
  });
  const lag = new Gauge({
    name: 'tagtrail_webhook_lag_seconds',
    help: 'How long the oldest event that a webhook which is on has yet to deliver has waited since it was there and the webhook on.',
    registers: [registry],
  });
  new Gauge({
    name: 'tagtrail_webhooks',
    help: 'Webhooks of the installation by state: on, off, paused.',
    labelNames: ['state'] as const,
    registers: [registry],
    async collect() {
      this.reset();
      lag.reset();
      // A database that does not answer is told of by `tagtrail_check_up`.
      const figures = await readFigures(db).catch(() => null);
      if (figures !== null) {
        lag.set(figures.lag);
        for (const state of STATES) {
          this.set({ state }, figures.count[state]);
        }
      }
    },
  });
}
