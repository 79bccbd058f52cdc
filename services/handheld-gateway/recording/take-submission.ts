import type { Micros } from '../../../base/instant.ts';
import { wireTimeOfMicros } from '../../../base/timestamps.ts';
import type { Client } from '../../../db/timescale/connections/client.ts';
import { integers } from '../../../db/timescale/queries/array-parameters.ts';
import { type RowQuery, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { findByIndexes } from '../../../domain/tracking/index-plans.ts';
import { observedAt } from '../../../domain/tracking/observed-at.ts';
import { type RecordOptions, recordScans } from '../../../domain/tracking/record.ts';
import { countTakenBack, waitingRetractions } from '../../../domain/tracking/retractions/waiting.ts';
import { isRadioStrength } from '../../../domain/tracking/rssi.ts';
import type { Scan } from '../../../domain/tracking/scan.ts';
import type { Reference } from '../wire/reference.ts';
import { byOurClock } from './by-our-clock.ts';
import {
  assetIdOf,
  cameFrom,
  type Names,
  type RecordedStep,
  resultView,
  STATUSES,
  type Status,
} from './result.ts';
import type { Sender, Submission } from './submission.ts';
import { type Step, walk } from './walk.ts';

export interface SubmissionView {
  submission_id: string;
  received_at: string;
  counts: Record<Status, number>;
  results: ReturnType<typeof resultView>[];
}

/**
 * Records the scans of a submission inside the caller's transaction and reports their results.
 *
 * @throws Invalid for an unknown location; AlreadyStored as recordScans does.
 */
export async function takeSubmission(
  client: Client,
  submission: Submission,
  sender: Sender,
  options: RecordOptions,
): Promise<{ view: SubmissionView; unsealed: number }> {
  const { orgId, receivedAt } = sender;
  // Plans are cached, so the planner settings must precede the look-ups.
  const [, { steps, lookedUp }, retracted] = await Promise.all([
    findByIndexes(client),
    walk(client, orgId, submission),
    waitingRetractions(client, { ...sender, submissionId: submission.id }),
  ]);
  const scans = steps.map((step, index) => toScan(step, index, submission, sender, retracted.get(index)));
  const { outcomes, unsealed } = await recordScans(
    client,
    scans.filter((_, index) => steps[index]?.setsLocation === false),
    options,
    lookedUp,
  );
  const inTurn = outcomes.values();
  const recorded = steps.map((step, index) => ({
    ...step,
    observedAt: whenObserved(scans[index] as Scan, options),
    outcome: step.setsLocation ? null : (inTurn.next().value ?? null),
  }));
  const [names] = await Promise.all([
    namesIn(client, orgId, recorded),
    countTakenBack(
      client,
      orgId,
      recorded.flatMap(({ outcome }, index) =>
        outcome?.status === 'recorded' ? (retracted.get(index) ?? []) : [],
      ),
    ),
  ]);
  const results = recorded.map((step) => resultView(step, names));
  const view = {
    submission_id: submission.id,
    received_at: wireTimeOfMicros(receivedAt),
    counts: countsOf(results),
    results,
  };
  return { view, unsealed };
}

/** The device's time if the scan was too late to be recorded. */
function whenObserved(scan: Scan, { rules, now }: RecordOptions): Micros {
  const time = observedAt(scan, now, rules);
  return time.ok ? time.observedAt : (scan.deviceTime ?? scan.receivedAt);
}

async function namesIn(client: Client, orgId: number, steps: readonly RecordedStep[]): Promise<Names> {
  const locationIds = steps.flatMap((step) => [step.locationId, cameFrom(step)]);
  const [assets, locations] = await Promise.all([
    nameAssets(client, orgId, steps.map(assetIdOf)),
    nameLocations(client, orgId, locationIds),
  ]);
  return { assets, locations };
}

function countsOf(results: readonly { status: Status }[]): Record<Status, number> {
  const counts = Object.fromEntries(STATUSES.map((status) => [status, 0])) as Record<Status, number>;
  for (const { status } of results) {
    counts[status] += 1;
  }
  return counts;
}

const nameAssets = naming(
  (orgId, ids) => sql.prepared('name-assets', rowsOf<Reference>())`
    select id, external_key, name from assets
    where org_id = ${orgId}::integer and id = any(${sql.binary(integers(ids))}::integer[])`,
);

/** Includes deleted ones, from which an asset may have come. */
const nameLocations = naming(
  (orgId, ids) => sql.prepared('name-locations', rowsOf<Reference>())`
    select id, external_key, name from locations
    where org_id = ${orgId}::integer and id = any(${sql.binary(integers(ids))}::integer[])`,
);

function naming(queryOf: (orgId: number, ids: readonly number[]) => RowQuery<Reference>) {
  return async (
    db: Connection,
    orgId: number,
    ids: Iterable<number | null>,
  ): Promise<ReadonlyMap<number, Reference>> => {
    const distinct = [...new Set(ids)].filter((id) => id !== null);
    const rows = distinct.length === 0 ? [] : await db.any(queryOf(orgId, distinct));
    return new Map(rows.map((row) => [row.id, row]));
  };
}

/**
 * Turns a step of a walk into a canonical scan.
 *
 * @param index position in the submission.
 * @param retractionId the retraction that has taken it back already, if any.
 */
function toScan(
  { scan, locationId }: Step,
  index: number,
  { id: submissionId, sentAt }: Submission,
  { orgId, handheldId, receivedAt }: Sender,
  retractionId: string | undefined,
): Scan {
  return {
    orgId,
    tagType: scan.tagType,
    value: scan.value,
    locationId,
    deviceTime: byOurClock(scan.observedAt, { sentAt, receivedAt }),
    receivedAt,
    rssi: scan.rssi !== null && isRadioStrength(scan.rssi) ? scan.rssi : null,
    source: {
      kind: 'handheld',
      handheldId,
      submissionId,
      index,
      ...(retractionId === undefined ? {} : { retractionId }),
    },
  };
}
