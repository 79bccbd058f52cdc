import type { Micros } from '../../../base/instant.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { routesOf } from '../../../platform/http/route.ts';
import type { SubmissionRecorder } from '../recording/record-submission.ts';
import type { SweepRecorder } from '../recording/record-sweep.ts';
import type { Retractor } from '../recording/retractor.ts';

export interface HandheldContext {
  orgId: number;
  handheldId: number;
  receivedAt: Micros;
  db: OrganizationDatabase;
  recorder: SubmissionRecorder;
  sweeps: SweepRecorder;
  retractor: Retractor;
}

export const route = routesOf<HandheldContext>();
