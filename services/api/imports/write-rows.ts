import { toDatabase } from '../../../base/timestamps.ts';
import type { OrganizationConnection } from '../../../db/timescale/connections/organization-door.ts';
import { texts as binaryTexts } from '../../../db/timescale/queries/array-parameters.ts';
import { type FragmentSqlToken, NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Keyed } from '../external-keys/mint.ts';
import { nextUpdate } from '../sql.ts';
import { PARENT_TABLE } from '../tags/queries.ts';
import type { GivenRow } from './given-row.ts';
import type { StoredRow } from './stored-rows.ts';

/** A row to insert or to write, as the database takes it. */
export type WrittenRow = Pick<
  StoredRow,
  'external_key' | 'name' | 'description' | 'is_active' | 'valid_to' | 'metadata'
> & { valid_from: string | null };

export type NewRow = Omit<GivenRow, 'external_key' | 'name'> & { external_key: string; name: string };

/**
 * Inserts rows, under placeholders for their ids, and locations without their parents; those whose key a live row has
 * are left out of the answer.
 */
export function insertRows(
  transaction: OrganizationConnection,
  resource: Keyed,
  rows: readonly NewRow[],
): Promise<readonly { id: number; external_key: string }[]> {
  const { column, value } = METADATA[resource];
  return transaction.any(sql.type(rowsOf<{ id: number; external_key: string }>())`
    insert into ${PARENT_TABLE[resource]} (
      org_id, id, external_key, name, description, is_active, valid_from, valid_to${column})
    overriding system value
    select ${transaction.orgId}, nextval('placeholder_ids'), given.external_key, given.name, given.description,
      given.is_active, coalesce(given.valid_from::timestamptz, now()), given.valid_to::timestamptz${value}
    from unnest(${columnsOf(rows.map(toWritten))}) with ordinality
      as given (external_key, name, description, is_active, valid_from, valid_to, metadata, place)
    order by given.place
    on conflict (org_id, external_key) where deleted_at is null do nothing
    returning id, external_key`);
}

function toWritten(row: NewRow): WrittenRow {
  return {
    external_key: row.external_key,
    name: row.name,
    description: row.description ?? null,
    is_active: row.is_active ?? true,
    valid_from: row.valid_from === undefined ? null : toDatabase(row.valid_from),
    valid_to: row.valid_to === undefined ? null : toDatabase(row.valid_to),
    metadata: row.metadata ?? '{}',
  };
}

/**
 * Writes all columns of rows that this transaction has locked, but for the parents of locations. Each is there, so that
 * none is inserted: said so, it is found by its id whatever statistics there are, which an update joined with a list is
 * not.
 */
export async function updateRows(
  transaction: OrganizationConnection,
  resource: Keyed,
  rows: readonly (WrittenRow & { id: number })[],
): Promise<void> {
  const { column, value, set } = METADATA[resource];
  const ids = sql.array(
    rows.map(({ id }) => id),
    'int4',
  );
  await transaction.exec(sql.type(NO_ROWS)`
    insert into ${PARENT_TABLE[resource]} as stored (
      org_id, id, external_key, name, description, is_active, valid_from, valid_to${column})
    overriding system value
    select ${transaction.orgId}, given.id, given.external_key, given.name, given.description,
      given.is_active, given.valid_from::timestamptz, given.valid_to::timestamptz${value}
    from unnest(${ids}, ${columnsOf(rows)})
      as given (id, external_key, name, description, is_active, valid_from, valid_to, metadata)
    on conflict (org_id, id) do update set
      name = excluded.name, description = excluded.description, is_active = excluded.is_active,
      valid_from = excluded.valid_from, valid_to = excluded.valid_to${set},
      updated_at = ${nextUpdate(sql.fragment`stored.updated_at`)}`);
}

/** Only assets have it. */
const METADATA = {
  asset: {
    column: sql.fragment`, metadata`,
    value: sql.fragment`, given.metadata::json`,
    set: sql.fragment`, metadata = excluded.metadata`,
  },
  location: { column: sql.fragment``, value: sql.fragment``, set: sql.fragment`` },
};

/** An array each, for `unnest`. */
function columnsOf(rows: readonly WrittenRow[]): FragmentSqlToken {
  const texts = (of: (row: WrittenRow) => string | null) =>
    sql.fragment`${sql.binary(binaryTexts(rows.map(of)))}::text[]`;
  const active = sql.array(
    rows.map(({ is_active }) => is_active),
    'bool',
  );
  return sql.fragment`${texts((row) => row.external_key)}, ${texts((row) => row.name)},
    ${texts((row) => row.description)}, ${active}, ${texts((row) => row.valid_from)},
    ${texts((row) => row.valid_to)}, ${texts((row) => row.metadata ?? null)}`;
}
