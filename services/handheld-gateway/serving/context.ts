import type { Micros } from '../../../base/instant.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import type { Hearing } from '../../../domain/listening/hearing.ts';
import { OpenStreams } from '../../../platform/http/open-streams.ts';
import { Problem } from '../../../platform/http/problem.ts';
import { routesOf } from '../../../platform/http/route.ts';
import type { SubmissionRecorder } from '../recording/record-submission.ts';
import type { SweepRecorder } from '../recording/record-sweep.ts';
import type { Retractor } from '../recording/retractor.ts';

/** Streams of one handheld, and of an organization's: ingestion listens for as many. */
const MOST_OF_HANDHELD = 2;
const MOST_OF_ORGANIZATION = 20;

export interface Listeners {
  ofHandheld: OpenStreams<number>;
  ofOrganization: OpenStreams<number>;
}

export function openListeners(): Listeners {
  const refusal = () =>
    new Problem('unavailable', 'Too many handhelds look for signals; try again when one has stopped', {
      headers: { 'Retry-After': '30' },
    });
  return {
    ofHandheld: new OpenStreams(MOST_OF_HANDHELD, refusal),
    ofOrganization: new OpenStreams(MOST_OF_ORGANIZATION, refusal),
  };
}

export interface HandheldContext {
  orgId: number;
  handheldId: number;
  receivedAt: Micros;
  db: OrganizationDatabase;
  recorder: SubmissionRecorder;
  sweeps: SweepRecorder;
  retractor: Retractor;
  hearing: Hearing;
  listeners: Listeners;
}

export const route = routesOf<HandheldContext>();
