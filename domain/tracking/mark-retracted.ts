import type { Micros } from '../../base/instant.ts';
import { integers, texts, timestamps } from '../../db/timescale/queries/array-parameters.ts';
import { NO_ROWS, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import type { LocatedScan } from './located-scan.ts';

/** A stored scan of a handheld by its identity, and the retraction that takes it back. */
export interface ToMark {
  orgId: number;
  observedAt: Micros;
  submissionId: string;
  index: number;
  retractionId: string;
}

export function isRetracted({ scan: { source } }: LocatedScan): boolean {
  return source.kind === 'handheld' && source.retractionId !== undefined;
}

/** Those of new scans that were taken back before they came. */
export function toMark(scans: readonly LocatedScan[]): ToMark[] {
  const marks: ToMark[] = [];
  for (const { orgId, observedAt, scan } of scans) {
    const { source } = scan;
    if (source.kind === 'handheld' && source.retractionId !== undefined) {
      const { submissionId, index, retractionId } = source;
      marks.push({ orgId, observedAt, submissionId, index, retractionId });
    }
  }
  return marks;
}

/**
 * Marks stored scans as taken back. Found by their identity first, and then updated where they are in the table, as
 * transitions are deleted.
 *
 * @throws RangeError if one of them is not stored.
 */
export async function markRetracted(db: Connection, scans: readonly ToMark[]): Promise<void> {
  if (scans.length === 0) {
    return;
  }
  const instants = scans.map(({ observedAt }) => observedAt);
  const first = instants.reduce((a, b) => Math.min(a, b));
  const last = instants.reduce((a, b) => Math.max(a, b));
  const marked = await db.exec(sql.prepared('mark-retracted', NO_ROWS)`
    update scan_events set retraction_id = old.retraction_id
    from unnest(
        ${sql.binary(integers(scans.map(({ orgId }) => orgId)))}::integer[],
        ${sql.binary(timestamps(instants))}::timestamptz[],
        ${sql.binary(texts(scans.map(({ submissionId }) => submissionId)))}::text[],
        ${sql.binary(integers(scans.map(({ index }) => index)))}::integer[],
        ${sql.binary(texts(scans.map(({ retractionId }) => retractionId)))}::text[])
        as given (org_id, observed_at, submission_id, index, retraction_id)
      cross join lateral (
        select tableoid as part, ctid as row, given.retraction_id from scan_events stored
        where stored.org_id = given.org_id and stored.observed_at = given.observed_at
          and stored.submission_id = given.submission_id
          and stored.submission_index between given.index and given.index
          and stored.observed_at between time_of_micros(${first}::bigint) and time_of_micros(${last}::bigint)
        order by stored.submission_index offset 0
      ) old
    where scan_events.ctid = old.row and scan_events.tableoid = old.part`);
  if (marked !== scans.length) {
    throw new RangeError(`${marked} of ${scans.length} scans to be taken back are stored`);
  }
}
