import { integers } from '../../../db/timescale/queries/array-parameters.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { distinctIndexes, type Retraction, type RetractionView } from './retraction.ts';

/**
 * Claims a retraction's id for this transaction, waiting for another transaction that has claimed it.
 *
 * @returns false if it was received before.
 */
export async function claimRetraction(db: Connection, retraction: Retraction): Promise<boolean> {
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

export interface StoredRetraction {
  submissionId: string;
  indexes: readonly number[];
  view: RetractionView;
}

/** @throws RangeError if there is none. */
export async function findRetraction(
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
export async function storeAnswer(
  db: Connection,
  { orgId, id }: Pick<Retraction, 'orgId' | 'id'>,
  answer: RetractionView,
  takenBack: number,
): Promise<void> {
  await db.exec(sql.prepared('store-answer-of-retraction', NO_ROWS)`
    update retractions set answer = ${JSON.stringify(answer)}::json, taken_back = ${takenBack}::integer
    where org_id = ${orgId}::integer and id = ${id}::text`);
}
