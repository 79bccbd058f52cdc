import type { Pool } from '../../../db/timescale/connections/client.ts';
import { inTransaction } from '../../../db/timescale/connections/transaction.ts';

/** What tells a simulated asset from any other: a member of its metadata. */
export const MARK = 'simulated';

export interface Earlier {
  orgId: number;
  /** Of the assets' keys. */
  prefix: string;
  /** What the readers' topics begin with. */
  topicRoot: string;
}

/**
 * Deletes the assets and readers that an earlier simulation of this prefix left: a run begins with assets that were
 * never seen and readers that never read, so that what it makes true can be told. What they have read stays.
 */
export function removeEarlier(pool: Pool, { orgId, prefix, topicRoot }: Earlier): Promise<void> {
  return inTransaction(pool, async (client) => {
    await client.query(
      `with removed as (
         update assets set deleted_at = now()
         where org_id = $1 and deleted_at is null and starts_with(external_key, $2) and metadata ->> $3 = 'true'
         returning id
       )
       update tags set detached_at = now()
       where org_id = $1 and detached_at is null and asset_id in (select id from removed)`,
      [orgId, prefix, MARK],
    );
    await client.query(
      `update readers set deleted_at = now()
       where org_id = $1 and deleted_at is null and starts_with(topic, $2)`,
      [orgId, `${topicRoot}/`],
    );
  });
}

/** Those of `keys` that live assets have. */
export async function takenAssetKeys(pool: Pool, orgId: number, keys: readonly string[]): Promise<string[]> {
  const { rows } = await pool.query<{ external_key: string }>(
    `select external_key from assets
     where org_id = $1 and external_key = any($2::text[]) and deleted_at is null order by external_key`,
    [orgId, keys],
  );
  return rows.map(({ external_key }) => external_key);
}
