import { ORGANIZATION_LOCKS } from '../../../db/timescale/connections/advisory-locks.ts';
import type { OrganizationConnection } from '../../../db/timescale/connections/organization-door.ts';
import { type FragmentSqlToken, NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Keyed, KeyedRow } from '../by-id-or-key.ts';
import { rowById, TABLES } from '../by-id-or-key.ts';
import { columnsOf, type StoredItem } from '../columns.ts';
import { inPieces, type Sized, textsThatFit } from '../large-texts.ts';
import { selectedJson, selectedShort, withNames } from '../stored-columns.ts';
import { PARENT_COLUMN } from '../tags/queries.ts';

export type StoredRow = StoredItem & {
  id: number;
  external_key: string;
  parent_external_key: string | null;
  tags: string;
};

/**
 * Locks out other imports of the organization until the transaction ends. False if one is running.
 *
 * Statements find rows by the most direct index (`findByIndexes`): for an organization newer than the
 * statistics, PostgreSQL expects at most one row, and scans all. Updating 50,000 assets of such a one took 107 s. Plans
 * are generic, since those of foreign keys would otherwise be made for this organization, with the first index that
 * begins with `org_id`: 1,500 locations took 14.6 million rows.
 */
export async function lockImports(transaction: OrganizationConnection): Promise<boolean> {
  const { is_locked } = await transaction.one(sql.type(rowsOf<{ is_locked: boolean }>())`
    select pg_try_advisory_xact_lock(${ORGANIZATION_LOCKS.imports}, ${transaction.orgId}) as is_locked,
      set_config('enable_seqscan', 'off', true), set_config('cpu_index_tuple_cost', '1', true),
      set_config('cpu_operator_cost', '0', true), set_config('jit', 'off', true), set_config('enable_sort', 'off', true),
      set_config('plan_cache_mode', 'force_generic_plan', true)`);
  return is_locked;
}

const LOCKS = {
  /** Protects against other changes; scans are not delayed. */
  change: sql.fragment`for no key update`,
  reference: sql.fragment`for key share`,
};

/** @param ids in locking order. */
export async function lockRows(
  transaction: OrganizationConnection,
  resource: Keyed,
  ids: readonly number[],
  against: keyof typeof LOCKS,
): Promise<void> {
  await transaction.exec(sql.type(NO_ROWS)`
    select from unnest(${sql.array(ids, 'int4')}) as given (id)
    cross join lateral (
      select from ${TABLES[resource]} where org_id = ${transaction.orgId} and id between given.id and given.id
      order by id limit 1 ${LOCKS[against]}
    ) stored`);
}

/** Ordered by key; no key sorts before `''`. */
export function listIds(
  connection: OrganizationConnection,
  resource: Keyed,
  afterKey: string,
  limit: number,
): Promise<readonly KeyedRow[]> {
  return connection.any(sql.prepared(`list-${resource}-ids`, rowsOf<KeyedRow>())`
    select id, external_key from ${TABLES[resource]}
    where org_id = ${connection.orgId} and external_key > ${afterKey} and deleted_at is null
    order by external_key
    limit ${limit}`);
}

/** The live ones among the rows, ordered by key, in pieces of 1 MiB of metadata and tags, or of one larger row. */
export async function* readStoredRows(
  connection: OrganizationConnection,
  resource: Keyed,
  ids: readonly number[],
): AsyncGenerator<readonly StoredRow[], void> {
  const columns = columnsOf(resource);
  const texts = { ...selectedJson(columns, 'stored'), tags: sql.fragment`tagged.tags` };
  const short = sql.fragment`stored.id, stored.external_key, ${selectedShort(columns, 'stored')},
    ${resource === 'asset' ? sql.fragment`null` : parentKey(connection.orgId)} as parent_external_key`;
  const read = (items: FragmentSqlToken, some: readonly number[]) =>
    connection.any(sql.type(rowsOf<StoredRow & Sized>())`
      select ${short}, ${items}
      from unnest(${sql.array(some, 'int4')}) as given (id)
      cross join ${rowById(resource, connection.orgId, sql.fragment`given.id`, { live: true })} stored
      cross join lateral (${tagsOf(resource)}) tagged
      order by stored.external_key`);
  yield* inPieces(await read(textsThatFit(texts, sql.fragment`stored.external_key`), ids), (some) =>
    read(withNames(texts), some),
  );
}

/** Of the row `stored`. */
function parentKey(orgId: number): FragmentSqlToken {
  return sql.fragment`(
      select parent.external_key from ${rowById('location', orgId, sql.fragment`stored.parent_id`)} parent
    )`;
}

/** `liveTags` of the row `stored`; their order leaves the planner one index to find them by. */
function tagsOf(resource: Keyed): FragmentSqlToken {
  const column = PARENT_COLUMN[resource];
  return sql.fragment`select coalesce((
      select json_agg(json_build_object('id', tag.id, 'tag_type', tag.tag_type, 'value', tag.value) order by tag.id)
      from (
        select id, tag_type, value from tags
        where org_id = stored.org_id and ${column} between stored.id and stored.id and detached_at is null
        order by ${column}
      ) tag
    ), '[]') as tags offset 0`;
}
