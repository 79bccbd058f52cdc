import type { Micros } from '../../../base/instant.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { routesOf } from '../../../platform/http/route.ts';
import type { SubmissionRecorder } from '../recording/record-submission.ts';

/** What handlers know of the handheld. */
export interface HandheldContext {
  orgId: number;
  handheldId: number;
  /** Time of the request by this service's clock. */
  receivedAt: Micros;
  /** For look-ups. */
  db: OrganizationDatabase;
  recorder: SubmissionRecorder;
}

export const route = routesOf<HandheldContext>();
