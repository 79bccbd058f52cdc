import type { SameJson } from '../../../base/json/same-json.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import type { KeyActor, UserActor } from '../../../domain/changes/actor.ts';
import type { ReadLargeRows } from '../../../domain/master-data/large-texts.ts';
import type { CredentialCache, CredentialRow } from '../../../platform/access/credential-cache.ts';
import { routesOf } from '../../../platform/http/route.ts';
import type { ThreadTask } from '../../../platform/runtime/work-threads.ts';
import type { ImportTurns } from './import-turns.ts';
import type { MoveReading } from './move-reading.ts';
import type { RuleTrials } from './rule-trials.ts';
import type { WebhookParts } from './webhook-parts.ts';

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
  moveReading: MoveReading;
  ruleTrials: RuleTrials;
  /** Null without SECRETS_KEY. */
  webhooks: WebhookParts | null;
  sameJson: SameJson;
  readLarge: ReadLargeRows;
  inThread<Result>(task: ThreadTask): Promise<Result>;
}

export const route = routesOf<ApiContext>();

export function actorOf({ actor: { type, id } }: ApiContext, requestId: string): KeyActor | UserActor {
  return { type, id, requestId };
}
