import type { SameJson } from '../../../base/json/same-json.ts';
import type { OrganizationDoor } from '../../../db/timescale/connections/organization-door.ts';
import type { ReadLargeRows } from '../../../domain/master-data/large-texts.ts';
import { inStates } from '../../../domain/reports/presence/list-presence.ts';
import type { LargeBodies } from '../../../platform/http/large-bodies.ts';
import type { Caller } from '../../../platform/http/problem.ts';
import type { ThreadTask } from '../../../platform/runtime/work-threads.ts';
import type { ApiContext, MoveReading, WebhookParts } from './context.ts';
import type { ImportTurns } from './import-turns.ts';
import type { Insight } from './insight.ts';
import type { LargeRows } from './large-rows.ts';
import type { RuleTrials } from './rule-trials.ts';

/** The dependencies of handlers, shared by all requests of a process. */
export interface Serving {
  door: OrganizationDoor;
  keys: ApiContext['keys'];
  largeBodies: LargeBodies;
  largeRows: LargeRows;
  ruleTrials: RuleTrials;
  imports: ImportTurns;
  insight: Insight;
  moveReading: MoveReading;
  /** Null without SECRETS_KEY. */
  webhooks: WebhookParts | null;
}

/** The context of a request of `caller`. */
export function contextOf(
  { door, keys, largeBodies, largeRows, ruleTrials, imports, insight, moveReading, webhooks }: Serving,
  {
    orgId,
    actor,
    scopes,
    orgIsDeleted,
  }: Pick<ApiContext, 'actor' | 'scopes' | 'orgIsDeleted'> & { orgId: number },
  caller: Caller,
): ApiContext {
  const sameJson: SameJson = (a, b) => largeBodies.same(a, b, caller);
  const readLarge: ReadLargeRows = (resource, ids, options) => largeRows.read(orgId, resource, ids, options);
  const inThread = <Result>(task: ThreadTask) => largeBodies.run<Result>(task, caller);
  return {
    actor,
    scopes,
    orgIsDeleted,
    db: door.of(orgId),
    keys,
    imports,
    insight,
    moveReading,
    ruleTrials,
    webhooks,
    sameJson,
    readLarge,
    inStates,
    inThread,
  };
}
