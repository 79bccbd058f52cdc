import type { FairSemaphore } from '../../../base/fair-semaphore.ts';
import type { SameJson } from '../../../base/json/same-json.ts';
import type { Networks } from '../../../base/networks.ts';
import type { SharedReads } from '../../../base/shared-reads.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import type { KeyActor, UserActor } from '../../../domain/changes/actor.ts';
import type { ReadLargeRows } from '../../../domain/master-data/large-texts.ts';
import type { MoveWaiters } from '../../../domain/moves/move-waiters.ts';
import type { inStates } from '../../../domain/reports/presence/list-presence.ts';
import type { SecretsKeys } from '../../../domain/webhooks/secrets/secrets-key.ts';
import type { Agents } from '../../../domain/webhooks/sending/agents.ts';
import type { CredentialCache, CredentialRow } from '../../../platform/access/credential-cache.ts';
import { Problem } from '../../../platform/http/problem.ts';
import { routesOf } from '../../../platform/http/route.ts';
import type { ThreadTask } from '../../../platform/runtime/work-threads.ts';
import type { ImportTurns } from './import-turns.ts';
import type { Insight } from './insight.ts';
import type { RuleTrials } from './rule-trials.ts';

/** The dependencies of requests about webhooks. */
export interface WebhookParts {
  keys: SecretsKeys;
  networks: Networks;
  agents: Agents;
  /** For tests, which wait for receivers. */
  turns: FairSemaphore<number>;
}

export interface MoveReading {
  waiters: MoveWaiters;
  reads: SharedReads;
}

export interface ApiCaller {
  readonly type: 'key' | 'user';
  readonly id: string;
}

export interface ApiContext {
  actor: ApiCaller;
  scopes: readonly string[];
  orgIsDeleted: boolean;
  db: OrganizationDatabase;
  /** For changes of keys, which take effect with the next request. */
  keys: Pick<CredentialCache<CredentialRow>, 'changing'>;
  imports: ImportTurns;
  insight: Insight;
  moveReading: MoveReading;
  ruleTrials: RuleTrials;
  /** Null without SECRETS_KEY. */
  webhooks: WebhookParts | null;
  sameJson: SameJson;
  readLarge: ReadLargeRows;
  /** Passed in: lists that imported it would load all that tells what readers heard and sweeps found. */
  inStates: typeof inStates;
  inThread<Result>(task: ThreadTask): Promise<Result>;
}

/** @throws Problem `forbidden`. */
export function requireScope({ scopes }: Pick<ApiContext, 'scopes'>, scope: string): void {
  if (!scopes.includes(scope)) {
    throw new Problem('forbidden', `Missing required scope: ${scope}`);
  }
}

export const route = routesOf<ApiContext>();

export function actorOf({ actor: { type, id } }: ApiContext, requestId: string): KeyActor | UserActor {
  return { type, id, requestId };
}
