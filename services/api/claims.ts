import type { FragmentSqlToken } from 'slonik';
import { ORGANIZATION_LOCKS } from '../../db/timescale/advisory-locks.ts';
import type { OrganizationConnection } from '../../db/timescale/organization-door.ts';
import { rowsOf } from '../../db/timescale/row-queries.ts';
import { sql } from '../../db/timescale/sql.ts';
import { asRows } from './tags/queries.ts';
import type { TagColumns } from './tags/tag-columns.ts';

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
  const named = sql.fragment`unnest(${sql.array(names, 'text')}) name`;
  await transaction.query(sql.prepared('claim-names', rowsOf<never>())`${claiming(transaction, named)}`);
}

/** As {@link claim}, also for tags; all at once, so that everybody takes the locks in the same order. */
export async function claimWithTags(
  transaction: OrganizationConnection,
  names: readonly string[],
  tags: TagColumns,
): Promise<void> {
  const named = sql.fragment`(
    select unnest(${sql.array(names, 'text')}) as name
    union all select concat_ws(':', 'tag', tag.tag_type, tag.value) from ${asRows(tags)}
  ) named`;
  await transaction.query(
    sql.prepared('claim-names-and-tags', rowsOf<never>())`${claiming(transaction, named)}`,
  );
}

/** @param named an item of a from clause with a column `name`. */
function claiming({ orgId }: OrganizationConnection, named: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`select pg_advisory_xact_lock(lock) from (
      select distinct hashtextextended(
        concat_ws(':', ${ORGANIZATION_LOCKS.names}::integer, ${orgId}::integer, hashtext(name) % 64), 0) as lock
      from ${named}
      order by lock
    ) claimed`;
}
