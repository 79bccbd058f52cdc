import { texts } from '../../../db/timescale/queries/array-parameters.ts';
import { type FragmentSqlToken, NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { OrganizationChange } from '../../changes/make-change.ts';
import type { Keyed } from '../by-id-or-key.ts';
import { TABLES } from '../by-id-or-key.ts';
import { nextUpdate } from '../clauses.ts';
import { columnsOf, type StoredItem } from '../columns.ts';
import { arraysOf, arraysOfNew, excluded, named, ofGiven, stored } from '../stored-columns.ts';
import type { GivenRow } from './given-row.ts';

export type WrittenRow = StoredItem & { id: number; external_key: string };

export type NewRow = Omit<GivenRow, 'external_key' | 'name'> & { external_key: string; name: string };

/**
 * Inserts rows under placeholder ids, locations without their parents; rows whose key is taken are left out of the
 * result.
 */
export function insertRows(
  transaction: OrganizationChange,
  resource: Keyed,
  rows: readonly NewRow[],
): Promise<readonly { id: number; external_key: string }[]> {
  const columns = columnsOf(resource);
  return transaction.any(sql.type(rowsOf<{ id: number; external_key: string }>())`
    insert into ${TABLES[resource]} (org_id, id, external_key, ${named(columns)})
    overriding system value
    select ${transaction.orgId}, nextval('placeholder_ids'), given.external_key, ${stored(columns, ofGiven)}
    from unnest(${keysOf(rows)}, ${arraysOfNew(columns, rows)}) with ordinality
      as given (external_key, ${named(columns)}, ordinal)
    order by given.ordinal
    on conflict (org_id, external_key) where deleted_at is null do nothing
    returning id, external_key`);
}

/**
 * Writes all columns of rows locked by this transaction, except locations' parents. An upsert, although none is
 * inserted: so each is found by its id whatever the statistics, unlike in an update joined with a list.
 */
export async function updateRows(
  transaction: OrganizationChange,
  resource: Keyed,
  rows: readonly WrittenRow[],
): Promise<void> {
  const columns = columnsOf(resource);
  const ids = sql.array(
    rows.map(({ id }) => id),
    'int4',
  );
  await transaction.exec(sql.type(NO_ROWS)`
    insert into ${TABLES[resource]} as stored (org_id, id, external_key, ${named(columns)})
    overriding system value
    select ${transaction.orgId}, given.id, given.external_key, ${stored(columns, ofGiven)}
    from unnest(${ids}, ${keysOf(rows)}, ${arraysOf(columns, rows)}) as given (id, external_key, ${named(columns)})
    on conflict (org_id, id) do update set
      ${excluded(columns)}, updated_at = ${nextUpdate(sql.fragment`stored.updated_at`)}`);
}

function keysOf(rows: readonly { external_key: string }[]): FragmentSqlToken {
  return sql.fragment`${sql.binary(texts(rows.map(({ external_key: key }) => key)))}::text[]`;
}
