import { type Networks, parseNetworks } from '../../base/networks.ts';
import { databaseOn } from '../../db/timescale/connections/database.ts';
import { createWritePool } from '../../db/timescale/connections/pool.ts';
import { MOVES_SEALED } from '../../domain/moves/sealing/announcements.ts';
import {
  createWebhook,
  type NewWebhook,
  type WebhookSettings,
} from '../../domain/webhooks/create-webhook.ts';
import { Deliverer, type DelivererParts } from '../../domain/webhooks/delivery/deliverer.ts';
import {
  newSecretsKey,
  parseSecretsKeys,
  type SecretsKeys,
} from '../../domain/webhooks/secrets/secrets-key.ts';
import { openAgents } from '../../domain/webhooks/sending/agents.ts';
import type { StoredWebhook } from '../../domain/webhooks/stored-webhook.ts';
import { createResolve } from '../../domain/webhooks/targets/checked-lookup.ts';
import type { Job } from '../../services/worker/jobs/job.ts';
import { runJob } from '../../services/worker/run-job.ts';
import { TEST_ACTOR } from './actor.ts';
import type { TestDatabase } from './database.ts';

export const SECRETS_KEY = newSecretsKey();

/** Receivers of tests are on this machine. */
export const SETTINGS: WebhookSettings = {
  keys: parseSecretsKeys(SECRETS_KEY) as SecretsKeys,
  networks: parseNetworks('127.0.0.0/8') as Networks,
};

export async function newWebhook(
  database: TestDatabase,
  wanted: NewWebhook,
): Promise<StoredWebhook & { secret: string }> {
  const { webhook, secret } = await createWebhook(databaseOn(database.pool), TEST_ACTOR, SETTINGS, wanted);
  return { ...webhook, secret };
}

export interface StartedDeliverer {
  deliverer: Deliverer;
  /** What it said in its log. */
  said: string[];
  stop(): Promise<void>;
}

/** A deliverer as a process has one, on connections of its own; it looks more often for what changed. */
export async function startDeliverer(
  database: Pick<TestDatabase, 'url'>,
  parts: Partial<DelivererParts> & { answerWithin?: number } = {},
): Promise<StartedDeliverer> {
  const said: string[] = [];
  const db = createWritePool(database.url, { max: 4, applicationName: 'test webhooks' });
  const leases = createWritePool(database.url, { max: 1, applicationName: 'test leases' });
  const agents = openAgents({ networks: SETTINGS.networks, resolve: createResolve() }, parts.answerWithin);
  const log = {
    info: (_: object, what: string) => said.push(what),
    warn: (_: object, what: string) => said.push(what),
  };
  const deliverer = new Deliverer({
    db,
    leases,
    agents,
    log,
    keys: SETTINGS.keys,
    noteEvery: 50,
    claimEvery: 200,
    ...parts,
  });
  const job: Job = {
    ...{ name: 'deliver-webhooks', lock: null, session: { name: 'test turns' } },
    ...{ wokenBy: [MOVES_SEALED], rest: 0 },
    begin: () => ({
      turn: () => deliverer.turn(),
      hear: () => deliverer.look(),
      end: () => deliverer.stop(),
    }),
  };
  const running = runJob(job, { url: database.url, log });
  let isStopped = false;
  return {
    deliverer,
    said,
    stop: async () => {
      if (!isStopped) {
        isStopped = true;
        await running.stop();
        agents.end();
        await Promise.all([db.end(), leases.end()]);
      }
    },
  };
}
