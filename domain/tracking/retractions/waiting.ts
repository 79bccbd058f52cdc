import { integers, texts } from '../../../db/timescale/queries/array-parameters.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { SubmissionRef } from './find-submission.ts';

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
