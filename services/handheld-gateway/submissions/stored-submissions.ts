import type { Micros } from '../../../base/instant.ts';
import type { Client } from '../../../db/timescale/connections/client.ts';

/** A submission as it is kept. */
export interface StoredSubmission {
  bodyDigest: Buffer;
  /** JSON text. */
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
 * Takes a submission's id for this transaction. If another has it that is still under way, waits until that one is
 * over.
 *
 * @returns false if it was recorded before.
 */
export async function claimSubmission(client: Client, claim: SubmissionClaim): Promise<boolean> {
  const { orgId, id, handheldId, bodyDigest, receivedAt } = claim;
  const { rowCount } = await client.query({
    name: 'claim-submission',
    text: `insert into submissions (org_id, id, handheld_id, body_sha256, received_at, answer)
      values ($1::integer, $2::text, $3::integer, $4::bytea, time_of_micros($5::bigint), '{}')
      on conflict (org_id, id) do nothing`,
    values: [orgId, id, handheldId, bodyDigest, receivedAt],
  });
  return rowCount === 1;
}

/** @throws RangeError if there is none. */
export async function findSubmission(
  client: Client,
  { orgId, id }: { orgId: number; id: string },
): Promise<StoredSubmission> {
  const { rows } = await client.query<{ body_sha256: Buffer; answer: string }>({
    name: 'find-submission',
    text: 'select body_sha256, answer from submissions where org_id = $1::integer and id = $2::text',
    values: [orgId, id],
  });
  const [row] = rows;
  if (row === undefined) {
    throw new RangeError(`submission ${id} is gone`);
  }
  return { bodyDigest: row.body_sha256, answer: row.answer };
}

export async function storeAnswer(
  client: Client,
  { orgId, id }: { orgId: number; id: string },
  answer: object,
): Promise<void> {
  await client.query({
    name: 'store-answer',
    text: 'update submissions set answer = $3::json where org_id = $1::integer and id = $2::text',
    values: [orgId, id, JSON.stringify(answer)],
  });
}
