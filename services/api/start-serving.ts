import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { FairSemaphore } from '../../base/fair-semaphore.ts';
import type { Networks } from '../../base/networks.ts';
import { SharedReads } from '../../base/shared-reads.ts';
import { listen } from '../../db/timescale/connections/listen.ts';
import {
  type OrganizationDoor,
  openOrganizationDoor,
} from '../../db/timescale/connections/organization-door.ts';
import { MoveWaiters } from '../../domain/moves/move-waiters.ts';
import {
  CHANGES_SEALED,
  CHANGES_WRITTEN,
  headsOf,
  MOVES_SEALED,
} from '../../domain/moves/sealing/announcements.ts';
import { wakeSealer } from '../../domain/moves/wake-sealer.ts';
import type { SecretsKeys } from '../../domain/webhooks/secrets/secrets-key.ts';
import { openAgents } from '../../domain/webhooks/sending/agents.ts';
import { createResolve } from '../../domain/webhooks/targets/checked-lookup.ts';
import { LargeBodies } from '../../platform/http/large-bodies.ts';
import { Problem } from '../../platform/http/problem.ts';
import { socketLimit } from '../../platform/runtime/descriptor-limit.ts';
import { countEach, measureFigure } from '../../platform/runtime/figures.ts';
import type { Lifecycle } from '../../platform/runtime/lifecycle.ts';
import { requireReplica } from '../../platform/runtime/require-database.ts';
import { startWorkThreads } from '../../platform/runtime/work-threads.ts';
import type { ApiContext, MoveReading, WebhookParts } from './serving/context.ts';
import { ImportTurns } from './serving/import-turns.ts';
import { Insight } from './serving/insight.ts';
import { LargeRows } from './serving/large-rows.ts';
import { RuleTrials } from './serving/rule-trials.ts';
import type { Serving } from './serving/serving.ts';

interface WebhookPartsConfig {
  SECRETS_KEY: SecretsKeys | null;
  WEBHOOK_NETWORKS: Networks;
}

/** Tests at a time, and of one organization. */
const TESTS = {
  ...{ total: 32, perKey: 2, perKeyWithRoom: 2, waitingPerKey: 8, patience: 20_000 },
  refusal: () =>
    new Problem(
      'unavailable',
      'Not tested: other tests of webhooks still wait for their receivers, two of an organization at a time, each for up to 15 s; test fewer at once, or try again in a moment',
      { headers: { 'Retry-After': '15' } },
    ),
};

/** Most waiting requests of a process. Where it may open few files: two thirds of the connections it can have. */
const MOST = 1_000;
const SHARE_OF_DESCRIPTORS = 0.1;

export interface ServingConfig extends WebhookPartsConfig {
  DATABASE_URL: string;
  DATABASE_READ_URL: string | null;
  QUERY_TIMEOUT_MS: number;
}

export interface ServingParts {
  applicationName: string;
  /** Connections for requests, in addition to those for long lists. */
  connections: number;
  keys: ApiContext['keys'];
  /** Shared with other services of the process; else the process gets its own. */
  largeBodies: LargeBodies | undefined;
  log: Logger;
  lifecycle: Lifecycle;
  registry: Registry;
}

/** Starts what handlers of the API's routes need, whichever process serves them. */
export async function startServing(
  config: ServingConfig,
  { applicationName, connections, keys, largeBodies, ...parts }: ServingParts,
): Promise<Serving> {
  const { log, lifecycle, registry } = parts;
  await requireReplica(config, log);
  const door = await lifecycle.start(
    'database',
    () =>
      openOrganizationDoor(config.DATABASE_URL, {
        max: connections,
        applicationName,
        scanTimeout: config.QUERY_TIMEOUT_MS,
        readUrl: config.DATABASE_READ_URL,
        onChanged: (orgId) => wake([orgId]),
      }),
    (started) => started.end(),
  );
  // Whose connection it is does not matter to a notification.
  const wake = wakeSealer({ exec: (query) => door.of(0).exec(query) }, CHANGES_WRITTEN);
  measureReplica(registry, door);
  const insight = await lifecycle.start(
    'insight',
    () => new Insight(config.DATABASE_URL, { applicationName, timeout: config.QUERY_TIMEOUT_MS }),
    (started) => started.end(),
  );
  const moveReading = await startMoveReading(config.DATABASE_URL, parts);
  const webhooks = await startWebhookParts(config, lifecycle);
  const bodies = largeBodies ?? new LargeBodies(await startWorkThreads(log, lifecycle));
  return {
    door,
    keys,
    largeBodies: bodies,
    largeRows: new LargeRows(
      bodies.threads,
      { url: config.DATABASE_URL, timeout: config.QUERY_TIMEOUT_MS },
      import.meta.resolve('./large-rows-thread.ts'),
    ),
    ruleTrials: new RuleTrials(
      {
        ...{ url: config.DATABASE_URL, readUrl: config.DATABASE_READ_URL, timeout: config.QUERY_TIMEOUT_MS },
        applicationName: `${applicationName} trial of rules`,
      },
      import.meta.resolve('./rule-trial-thread.ts'),
    ),
    imports: new ImportTurns(),
    insight,
    moveReading,
    webhooks,
  };
}

function measureReplica(registry: Registry, { replicaReads: reads }: OrganizationDoor): void {
  if (reads === null) {
    return;
  }
  const lists = 'Expensive lists and reports, by the answering server: replica or primary.';
  countEach(registry, ['tagtrail_replica_lists_total', lists, 'answered_by'], () => [
    ['replica', reads.byReplica],
    ['primary', reads.byPrimary],
  ]);
  measureFigure(
    registry,
    'tagtrail_replica_behind_bytes',
    'Log of the primary that the replica lacked when it was last asked for a list.',
    () => reads.bytesBehind,
  );
}

/** Starts long polling: requests wait for the sealer's announcements. Once shutdown is announced, none waits. */
async function startMoveReading(
  url: string,
  { log, lifecycle, registry }: { log: Logger; lifecycle: Lifecycle; registry: Registry },
): Promise<MoveReading> {
  const waiters = new MoveWaiters(socketLimit(MOST, SHARE_OF_DESCRIPTORS));
  const help = 'Requests that wait for a feed to go on.';
  measureFigure(registry, 'tagtrail_api_waiting_requests', help, () => waiters.size);
  await lifecycle.start(
    'announcements of moves',
    () =>
      listen(url, [MOVES_SEALED, CHANGES_SEALED], {
        onNotify: (channel, payload) =>
          announce(headsOf(payload), channel === CHANGES_SEALED ? 'changes' : 'moves', waiters),
        onReconnect: () => waiters.sealedAny(),
        onLost: ({ message }) =>
          log.warn(
            { reason: message },
            'Move announcements interrupted; waiting requests are answered once they resume',
          ),
      }),
    (listener) => listener.close(),
  );
  lifecycle.stopping.addEventListener('abort', () => waiters.end());
  return { waiters, reads: new SharedReads() };
}

/** @param heads null if any feed may have gone on. */
function announce(
  heads: ReadonlyMap<number, number> | null,
  feed: 'moves' | 'changes',
  waiters: MoveWaiters,
): void {
  if (heads === null) {
    waiters.sealedAny();
  }
  for (const [orgId, head] of heads ?? []) {
    waiters.sealed(orgId, head, feed);
  }
}

/** @returns null without SECRETS_KEY: then there are no webhooks for this process. */
async function startWebhookParts(
  { SECRETS_KEY: keys, WEBHOOK_NETWORKS: networks }: WebhookPartsConfig,
  lifecycle: Lifecycle,
): Promise<WebhookParts | null> {
  if (keys === null) {
    return null;
  }
  const agents = await lifecycle.start(
    'connections to receivers',
    () => openAgents({ networks, resolve: createResolve() }),
    (started) => started.end(),
  );
  return { keys, networks, agents, turns: new FairSemaphore(TESTS) };
}
