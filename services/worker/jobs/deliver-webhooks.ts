import { Counter, Gauge, type Registry } from 'prom-client';
import { createWritePool } from '../../../db/timescale/connections/pool.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { MOVES_SEALED } from '../../../domain/moves/sealing/announcements.ts';
import { Deliverer } from '../../../domain/webhooks/delivery/deliverer.ts';
import { readFigures } from '../../../domain/webhooks/figures.ts';
import type { SecretsKeys } from '../../../domain/webhooks/secrets/secrets-key.ts';
import type { Agents } from '../../../domain/webhooks/sending/agents.ts';
import type { Attempt } from '../../../domain/webhooks/sending/deliver.ts';
import { STATES } from '../../../domain/webhooks/stored-webhook.ts';
import { countOutcomes, measureFigure } from '../../../platform/runtime/figures.ts';
import type { Job, JobParts } from './job.ts';

/** Connections to read events and to record deliveries; leases, which must not wait behind them, have another. */
const CONNECTIONS = 3;

/** Delivers webhooks, together with every other process that does. */
export function deliverWebhooks(
  url: string,
  { keys, agents, log, metrics, pool }: JobParts & { keys: SecretsKeys; agents: Agents },
): Job {
  const session = { name: 'tagtrail webhooks' };
  const count = countOutcomes(metrics, ATTEMPTS, ['delivered', 'failed', 'refused', 'gone']);
  const onAttempt = ({ outcome }: Attempt) => count(outcome);
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

const ATTEMPTS = [
  'tagtrail_webhook_attempts_total',
  'Requests to receivers of webhooks by their outcome: delivered, failed, refused (not sent: no permitted address), gone (410).',
] as const;

/** @returns the callback for the number of events merged into one. */
function countSettled(registry: Registry): (events: number) => void {
  const counter = new Counter({
    name: 'tagtrail_webhook_settled_events_total',
    help: "Events of the move feed that webhooks with settle_seconds merged: each asset's into one request, or none where they cancel out.",
    registers: [registry],
  });
  return (events) => counter.inc(events);
}

/** Exports what this process delivers, and the state of all webhooks, read at every scrape. */
function measureWebhooks(registry: Registry, deliverer: () => Deliverer | null, db: Connection): void {
  measureFigure(
    registry,
    'tagtrail_webhooks_held',
    'Webhooks that this process delivers for.',
    () => deliverer()?.webhooks ?? 0,
  );
  measureFigure(
    registry,
    'tagtrail_webhook_requests_in_flight',
    'Requests to receivers of webhooks that are under way.',
    () => deliverer()?.sending ?? 0,
  );
  const lag = new Gauge({
    name: 'tagtrail_webhook_lag_seconds',
    help: 'How long the oldest event that a webhook which is on has yet to deliver has waited since it was there and the webhook on, less its settle_seconds.',
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
      // `tagtrail_check_up` reports a database that does not answer.
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
