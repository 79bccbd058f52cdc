import { ORGANIZATION_LOCKS } from '../../db/timescale/advisory-locks.ts';
import type { OrganizationConnection } from '../../db/timescale/organization-door.ts';
import { rowsOf } from '../../db/timescale/row-queries.ts';
import { sql } from '../../db/timescale/sql.ts';

/**
 * Keeps others from giving live rows these names until the transaction ends. So what is found to be free stays free,
 * and an id is drawn for what will be committed only: an insert that met the name of a concurrent one would have drawn
 * an id and lost it.
 *
 * The statement after it need not wait for its answer; on a connection they run in order.
 *
 * @param names such as `asset:PALLET-17` and `tag:rfid:E280`. Many share a lock, so that a body of 10,000 tags does not
 * take all the locks the database has.
 */
export async function claim(transaction: OrganizationConnection, names: readonly string[]): Promise<void> {
  await transaction.query(sql.prepared('claim-names', rowsOf<never>())`
    select pg_advisory_xact_lock(lock) from (
      select distinct hashtextextended(
        concat_ws(':', ${ORGANIZATION_LOCKS.names}::integer, ${transaction.orgId}::integer, hashtext(name) % 64), 0) as lock
      from unnest(${sql.array(names, 'text')}) name
      order by lock
    ) claimed`);
}
