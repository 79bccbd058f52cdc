import { greatestOf, leastOf } from '../../../base/extremes.ts';
import { MICROS_PER_MILLISECOND, type Micros } from '../../../base/instant.ts';
import { ORGANIZATION_LOCKS } from '../../../db/timescale/connections/advisory-locks.ts';
import { integers, texts, timestamps } from '../../../db/timescale/queries/array-parameters.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { AssetRef } from '../history/asset-ref.ts';

interface SubmissionRef {
  orgId: number;
  submissionId: string;
}

interface AnsweredSubmission {
  handheldId: number;
  scans: number;
}

export async function findAnswered(
  db: Connection,
  { orgId, submissionId }: SubmissionRef,
): Promise<AnsweredSubmission | null> {
  const row = await db.maybeOne(sql.prepared(
    'find-answered',
    rowsOf<{ handheld_id: number; scans: number }>(),
  )`
    select handheld_id, json_array_length(answer->'results') as scans from submissions
    where org_id = ${orgId}::integer and id = ${submissionId}::text`);
  return row === null ? null : { handheldId: row.handheld_id, scans: row.scans };
}

/** Whether another organization has a submission with this id. One look-up per organization. */
export async function isAnothers(db: Connection, { orgId, submissionId }: SubmissionRef): Promise<boolean> {
  const row = await db.one(sql.prepared('is-submission-of-another', rowsOf<{ is_anothers: boolean }>())`
    select exists (
      select from organizations other
      cross join lateral (
        select from submissions where org_id = other.id and id = ${submissionId}::text offset 0
      ) submission
      where other.id <> ${orgId}::integer
    ) as is_anothers`);
  return row.is_anothers;
}

export interface AnsweredScan {
  index: number;
  /** As answered, to the millisecond. */
  observedAt: Micros;
}

/** The times of the scans, as answered; by index, without those beyond the submission. */
export async function answeredScans(
  db: Connection,
  { orgId, submissionId }: SubmissionRef,
  indexes: readonly number[],
): Promise<readonly AnsweredScan[]> {
  const rows = await db.any(sql.prepared('answered-scans', rowsOf<{ index: number; observed_at: Micros }>())`
    select result.position::integer - 1 as index,
      micros_of_time((result.value->>'observed_at')::timestamptz) as observed_at
    from submissions
    cross join lateral json_array_elements(answer->'results') with ordinality as result (value, position)
    where org_id = ${orgId}::integer and id = ${submissionId}::text
      and result.position - 1 = any (${sql.binary(integers(indexes))}::integer[])
    order by result.position`);
  return rows.map((row) => ({ index: row.index, observedAt: row.observed_at }));
}

interface StoredScan extends AssetRef {
  index: number;
  observedAt: Micros;
  /** The retraction that took it back before; null if none. */
  retractionId: string | null;
}

/** The stored ones among the scans; each is looked up at its millisecond. */
export async function storedScans(
  db: Connection,
  { orgId, submissionId }: SubmissionRef,
  scans: readonly AnsweredScan[],
): Promise<StoredScan[]> {
  const starts = scans.map(({ observedAt }) => observedAt);
  const rows = await db.any(sql.prepared('stored-scans-of-submission', rowsOf<StoredScanRow>())`
    select scan.asset_id, micros_of_time(scan.observed_at) as observed_at, scan.submission_index, scan.retraction_id
    from unnest(
        ${sql.binary(timestamps(starts))}::timestamptz[],
        ${sql.binary(timestamps(starts.map((start) => start + MICROS_PER_MILLISECOND - 1)))}::timestamptz[],
        ${sql.binary(integers(scans.map(({ index }) => index)))}::integer[])
      as wanted (start, stop, index)
    cross join lateral (
      select asset_id, observed_at, submission_index, retraction_id from scan_events
      where org_id = ${orgId}::integer and observed_at between wanted.start and wanted.stop
        and submission_id = ${submissionId}::text and submission_index = wanted.index
        and observed_at between time_of_micros(${leastOf(starts)}::bigint)
          and time_of_micros(${greatestOf(starts) + MICROS_PER_MILLISECOND - 1}::bigint)
      order by observed_at offset 0
    ) scan`);
  return rows.map((row) => ({
    orgId,
    assetId: row.asset_id,
    index: row.submission_index,
    observedAt: row.observed_at,
    retractionId: row.retraction_id,
  }));
}

interface StoredScanRow {
  asset_id: number;
  observed_at: Micros;
  submission_index: number;
  retraction_id: string | null;
}

/**
 * One at a time records a submission or takes scans of it back, until this transaction ends. So either the retraction
 * finds the submission's scans, or the submission finds the retraction; taken before everything else that is locked.
 */
export async function lockSubmission(
  db: Connection,
  { orgId, submissionId }: { orgId: number; submissionId: string },
): Promise<void> {
  await db.exec(sql.prepared('lock-submission', NO_ROWS)`
    select pg_advisory_xact_lock(hashtextextended(
      concat_ws(':', ${String(ORGANIZATION_LOCKS.submissions)}::text, ${orgId}::integer, ${submissionId}::text), 0))`);
}

/**
 * The retractions that came before a submission and may take its scans back, by index; of several the first. To be asked
 * once the submission is locked.
 */
export async function waitingRetractions(
  db: Connection,
  { orgId, submissionId, handheldId }: SubmissionRef & { handheldId: number },
): Promise<ReadonlyMap<number, string>> {
  const rows = await db.any(sql.prepared('waiting-retractions', rowsOf<{ index: number; id: string }>())`
    select distinct on (index) index, id from retractions cross join lateral unnest(indexes) as index
    where org_id = ${orgId}::integer and submission_id = ${submissionId}::text
      and (handheld_id is null or handheld_id = ${handheldId}::integer)
    order by index, received_at, id`);
  return new Map(rows.map(({ index, id }) => [index, id]));
}

/** Notes what waiting retractions have taken back. @param ids one for each scan. */
export async function countTakenBack(db: Connection, orgId: number, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) {
    return;
  }
  const counts = [...Map.groupBy(ids, (id) => id)].sort(([a], [b]) => (a < b ? -1 : 1));
  await db.exec(sql.prepared('count-taken-back', NO_ROWS)`
    update retractions set taken_back = taken_back + counted.scans
    from unnest(
      ${sql.binary(texts(counts.map(([id]) => id)))}::text[],
      ${sql.binary(integers(counts.map(([, scans]) => scans.length)))}::integer[]) as counted (id, scans)
    where retractions.org_id = ${orgId}::integer and retractions.id = counted.id`);
}
