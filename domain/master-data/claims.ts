import { ORGANIZATION_LOCKS } from '../../db/timescale/connections/advisory-locks.ts';
import type { OrganizationConnection } from '../../db/timescale/connections/organization-door.ts';
import { texts } from '../../db/timescale/queries/array-parameters.ts';
import { type FragmentSqlToken, NO_ROWS, sql } from '../../db/timescale/queries/sql.ts';

/**
 * Claims names: others cannot give them to live rows until the transaction ends. So a free name stays free, and ids are
 * drawn only for rows that will be committed: an insert that conflicts has already used its id. The next statement need
 * not wait for the reply; on a connection they run in order.
 *
 * @param names such as `asset:PALLET-17` and `tag:rfid:E280`. Many share a lock, so that a body of 10,000 tags does not
 * exhaust the database's locks.
 */
export async function claim(transaction: OrganizationConnection, names: readonly string[]): Promise<void> {
  const named = sql.fragment`unnest(${sql.binary(texts(names))}::text[]) name`;
  await transaction.exec(sql.prepared('claim-names', NO_ROWS)`${claimed(transaction.orgId, named)}`);
}

/**
 * The statement's text.
 *
 * @param named an item of a from clause with a column `name`.
 */
export function claimed(orgId: number, named: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`select from (
      select pg_advisory_xact_lock(lock) as claimed from (
        select distinct hashtextextended(
          concat_ws(':', ${String(ORGANIZATION_LOCKS.names)}::integer, ${String(orgId)}::integer, hashtext(name) % 64), 0) as lock
        from ${named}
        order by lock
      ) sorted offset 0
    ) done where claimed is null`;
}
