import type { Micros } from '../../../base/instant.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { routesOf } from '../../../platform/http/route.ts';
import type { SubmissionRecorder } from '../recording/record-submission.ts';

/** What a handler knows of the handheld that asks. */
export interface HandheldContext {
  orgId: number;
  handheldId: number;
  /** When the request came, by this service's clock. */
  receivedAt: Micros;
  /** For look-ups. */
  db: OrganizationDatabase;
  recorder: SubmissionRecorder;
}

/** Declares a route of the gateway. */
export const route = routesOf<HandheldContext>();
