import {
  type FieldIssue,
  invalid,
  invalidValue,
  MOST_LISTED,
  tooLarge,
} from '../../../base/checks/issues.ts';
import { conflict, forbidden, notFound } from '../../../base/errors.ts';
import { MICROS_PER_DAY, type Micros } from '../../../base/instant.ts';
import { wireTimeOfMicros } from '../../../base/timestamps.ts';
import type { Client } from '../../../db/timescale/connections/client.ts';
import { findByIndexes } from '../../../db/timescale/connections/transaction.ts';
import { integers } from '../../../db/timescale/queries/array-parameters.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { assetKey } from '../history/asset-ref.ts';
import { readSites } from '../location/read-site.ts';
import { lockPositions } from '../positions.ts';
import { reviseAlerts } from '../revise-alerts.ts';
import { markRetracted, type ToMark } from '../scan-events.ts';
import { storedTracking } from '../stored-tracking.ts';
import { writeChanges } from '../update-histories.ts';
import {
  type AnsweredScan,
  answeredScans,
  findAnswered,
  isAnothers,
  lockSubmission,
  storedScans,
} from './find-submission.ts';
import {
  distinctIndexes,
  type Retracted,
  type RetractedStatus,
  type Retraction,
  type RetractionView,
} from './retraction.ts';
import { withoutRetracted } from './without-retracted.ts';

export interface RetractOptions {
  /** This service's clock. */
  now: Micros;
  /** Scans older than this, or their surroundings, may have been dropped. */
  retention: Micros;
}

/**
 * Takes scans of a submission back inside the caller's transaction (tracking rule 10), once: a repetition changes nothing
 * and gets the first answer. A submission that nobody knows may still come; what is taken back of it waits for it, and is
 * recorded as taken back.
 *
 * Locks: the submission, then as a recorder does.
 *
 * @throws AppError `conflict` if its id was used for something else, `not_found` if the submission is another
 * organization's, `forbidden` if it is another handheld's; Invalid for an index beyond it, or of a scan that is too old.
 */
export async function retract(
  client: Client,
  retraction: Retraction,
  options: RetractOptions,
): Promise<Retracted> {
  const [, isFirst] = await Promise.all([findByIndexes(client), claimRetraction(client, retraction)]);
  if (!isFirst) {
    return repeated(client, retraction);
  }
  await lockSubmission(client, retraction);
  const submission = await findAnswered(client, retraction);
  if (submission === null) {
    if (await isAnothers(client, retraction)) {
      throw notFound(`Submission ${retraction.submissionId} not found`);
    }
    return answer(client, retraction, () => 'waiting', 0, 0);
  }
  if (retraction.ofHandheld !== null && retraction.ofHandheld !== submission.handheldId) {
    throw forbidden(`Submission ${retraction.submissionId} is another handheld's`);
  }
  refuseBeyond(retraction.indexes, submission.scans);
  const answered = await answeredScans(client, retraction, distinctIndexes(retraction.indexes));
  refuseTooOld(retraction.indexes, answered, options);
  const { submissionId, id: retractionId } = retraction;
  const stored = await storedScans(client, retraction, answered);
  const left = stored.filter((scan) => scan.retractionId === null);
  const unsealed = await takeBack(
    client,
    left.map((scan) => ({ ...scan, submissionId, retractionId })),
  );
  const recorded = new Set(stored.map(({ index }) => index));
  const statusOf = (index: number) => (recorded.has(index) ? 'retracted' : 'not_recorded');
  return answer(client, retraction, statusOf, left.length, unsealed);
}

async function repeated(client: Client, retraction: Retraction): Promise<Retracted> {
  const stored = await findRetraction(client, retraction);
  const isSame =
    stored.submissionId === retraction.submissionId &&
    stored.indexes.join() === distinctIndexes(retraction.indexes).join();
  if (!isSame) {
    throw conflict(`retraction ${retraction.id} was received before with another body`);
  }
  return { view: stored.view, isRepeat: true, unsealed: 0 };
}

async function answer(
  client: Client,
  retraction: Retraction,
  statusOf: (index: number) => RetractedStatus,
  takenBack: number,
  unsealed: number,
): Promise<Retracted> {
  const view = {
    retraction_id: retraction.id,
    submission_id: retraction.submissionId,
    received_at: wireTimeOfMicros(retraction.receivedAt),
    results: distinctIndexes(retraction.indexes).map((index) => ({ index, status: statusOf(index) })),
  };
  await storeAnswer(client, retraction, view, takenBack);
  return { view, isRepeat: false, unsealed };
}

function refuseBeyond(indexes: readonly number[], scans: number): void {
  refuse(indexes, (index, field) => (index < scans ? null : tooLarge(field, scans - 1)));
}

function refuseTooOld(
  indexes: readonly number[],
  answered: readonly AnsweredScan[],
  { now, retention }: RetractOptions,
): void {
  const ages = new Map(answered.map(({ index, observedAt }) => [index, now - observedAt]));
  const days = (micros: Micros) => Number((micros / MICROS_PER_DAY).toFixed(1));
  refuse(indexes, (index, field) => {
    const age = ages.get(index) ?? 0;
    return age <= retention
      ? null
      : invalidValue(
          field,
          `is too late to take back: the scan is ${days(age)} days old, and scans are kept for ${days(retention)} days`,
        );
  });
}

function refuse(
  indexes: readonly number[],
  issueOf: (index: number, field: string) => FieldIssue | null,
): void {
  const issues = indexes.flatMap((index, position) => issueOf(index, `indexes[${position}]`) ?? []);
  if (issues.length > 0) {
    throw invalid(issues.slice(0, MOST_LISTED), Math.max(0, issues.length - MOST_LISTED));
  }
}

/**
 * Claims a retraction's id for this transaction, waiting for another transaction that has claimed it.
 *
 * @returns false if it was received before.
 */
async function claimRetraction(db: Connection, retraction: Retraction): Promise<boolean> {
  const { orgId, id, submissionId, indexes, ofHandheld, by, receivedAt } = retraction;
  const claimed = await db.exec(sql.prepared('claim-retraction', NO_ROWS)`
    insert into retractions (org_id, id, submission_id, indexes, handheld_id, actor_type, actor_id, request_id,
      received_at, answer)
    values (${orgId}::integer, ${id}::text, ${submissionId}::text,
      ${sql.binary(integers(distinctIndexes(indexes)))}::integer[], ${ofHandheld}::integer, ${by.type}::text,
      ${by.id}::text, ${by.requestId}::text, time_of_micros(${receivedAt}::bigint), '{}')
    on conflict (org_id, id) do nothing`);
  return claimed === 1;
}

interface StoredRetraction {
  submissionId: string;
  indexes: readonly number[];
  view: RetractionView;
}

/** @throws RangeError if there is none. */
async function findRetraction(
  db: Connection,
  { orgId, id }: Pick<Retraction, 'orgId' | 'id'>,
): Promise<StoredRetraction> {
  const row = await db.one(sql.prepared('find-retraction', rowsOf<RetractionRow>())`
    select submission_id, to_json(indexes) as indexes, answer from retractions
    where org_id = ${orgId}::integer and id = ${id}::text`);
  return { submissionId: row.submission_id, indexes: JSON.parse(row.indexes), view: JSON.parse(row.answer) };
}

interface RetractionRow {
  submission_id: string;
  /** JSON text, as is the answer. */
  indexes: string;
  answer: string;
}

/** @param takenBack how many scans it has marked. */
async function storeAnswer(
  db: Connection,
  { orgId, id }: Pick<Retraction, 'orgId' | 'id'>,
  answer: RetractionView,
  takenBack: number,
): Promise<void> {
  await db.exec(sql.prepared('store-answer-of-retraction', NO_ROWS)`
    update retractions set answer = ${JSON.stringify(answer)}::json, taken_back = ${takenBack}::integer
    where org_id = ${orgId}::integer and id = ${id}::text`);
}

/**
 * Takes back stored scans of handhelds that none has taken back before, inside the caller's transaction: marks them,
 * and changes transitions and positions as if they had never been. Locks the positions of their assets, and the
 * settings of locations (shared), as a recorder does.
 *
 * @returns changes of histories; wake the sealer for them after the commit.
 */
export async function takeBack(
  client: Client,
  scans: readonly (ToMark & { assetId: number })[],
): Promise<number> {
  if (scans.length === 0) {
    return 0;
  }
  const positions = await lockPositions(client, scans);
  const [, , sites] = await Promise.all([
    markRetracted(client, scans),
    reviseAlerts(
      client,
      scans.map(({ orgId, assetId, observedAt }) => ({ orgId, assetId, since: observedAt })),
    ),
    readSites(client, scans),
  ]);
  const instantsOf = Map.groupBy(scans, assetKey);
  const assets = positions.map((position) => ({
    position,
    instants: (instantsOf.get(assetKey(position)) ?? []).map(({ observedAt }) => observedAt),
  }));
  return writeChanges(client, await withoutRetracted(storedTracking(client, sites), assets, sites));
}
