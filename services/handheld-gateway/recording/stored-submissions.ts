import type { Micros } from '../../../base/instant.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';

export interface StoredSubmission {
  bodyDigest: Buffer;
  answer: string;
}

export interface SubmissionClaim {
  orgId: number;
  id: string;
  handheldId: number;
  bodyDigest: Buffer;
  receivedAt: Micros;
}

/**
 * Claims a submission's id for this transaction, waiting for another transaction that has claimed it.
 *
 * @returns false if it was recorded before.
 */
export async function claimSubmission(db: Connection, claim: SubmissionClaim): Promise<boolean> {
  const { orgId, id, handheldId, bodyDigest, receivedAt } = claim;
  const claimed = await db.exec(sql.prepared('claim-submission', NO_ROWS)`
    insert into submissions (org_id, id, handheld_id, body_sha256, received_at, answer)
    values (${orgId}::integer, ${id}::text, ${handheldId}::integer, ${sql.binary(bodyDigest)}::bytea,
      time_of_micros(${receivedAt}::bigint), '{}')
    on conflict (org_id, id) do nothing`);
  return claimed === 1;
}

/** @throws RangeError if there is none. */
export async function findSubmission(
  db: Connection,
  { orgId, id }: { orgId: number; id: string },
): Promise<StoredSubmission> {
  const row = await db.one(sql.prepared('find-submission', rowsOf<{ body_sha256: Buffer; answer: string }>())`
    select body_sha256, answer from submissions where org_id = ${orgId}::integer and id = ${id}::text`);
  return { bodyDigest: row.body_sha256, answer: row.answer };
}

export async function storeAnswer(
  db: Connection,
  { orgId, id }: { orgId: number; id: string },
  answer: object,
): Promise<void> {
  await db.exec(sql.prepared('store-answer', NO_ROWS)`
    update submissions set answer = ${JSON.stringify(answer)}::json
    where org_id = ${orgId}::integer and id = ${id}::text`);
}
