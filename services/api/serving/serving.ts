import type { OrganizationDoor } from '../../../db/timescale/connections/organization-door.ts';
import type { LargeBodies } from '../../../platform/http/large-bodies.ts';
import type { ApiContext } from './context.ts';
import type { ImportTurns } from './import-turns.ts';
import type { LargeRows } from './large-rows.ts';
import type { MoveReading } from './move-reading.ts';
import type { RuleTrials } from './rule-trials.ts';
import type { WebhookParts } from './webhook-parts.ts';

/** The dependencies of handlers, shared by all requests of a process. */
export interface Serving {
  door: OrganizationDoor;
  keys: ApiContext['keys'];
  largeBodies: LargeBodies;
  largeRows: LargeRows;
  ruleTrials: RuleTrials;
  imports: ImportTurns;
  moveReading: MoveReading;
  /** Null without SECRETS_KEY. */
  webhooks: WebhookParts | null;
}
