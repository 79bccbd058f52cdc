import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import {
  type OrganizationDoor,
  openOrganizationDoor,
} from '../../db/timescale/connections/organization-door.ts';
import { CHANGES_WRITTEN } from '../../domain/moves/sealing/written-announcement.ts';
import { wakeSealer } from '../../domain/moves/wake-sealer.ts';
import { LargeBodies } from '../../platform/http/large-bodies.ts';
import { countEach, measureFigure } from '../../platform/runtime/figures.ts';
import type { Lifecycle } from '../../platform/runtime/lifecycle.ts';
import { requireReplica } from '../../platform/runtime/require-database.ts';
import { startWorkThreads } from '../../platform/runtime/start-work-threads.ts';
import { startMoveReading } from './moves/start-move-reading.ts';
import type { ApiContext } from './serving/context.ts';
import { ImportTurns } from './serving/import-turns.ts';
import { Insight } from './serving/insight.ts';
import { LargeRows } from './serving/large-rows.ts';
import { RuleTrials } from './serving/rule-trials.ts';
import type { Serving } from './serving/serving.ts';
import { startWebhookParts, type WebhookPartsConfig } from './webhooks/start-webhook-parts.ts';

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
