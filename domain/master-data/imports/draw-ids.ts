import { append } from '../../../base/append.ts';
import { type FragmentSqlToken, NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { OrganizationChange } from '../../changes/make-change.ts';
import { authorOf, intoChanges } from '../../changes/make-change.ts';
import type { Keyed } from '../by-id-or-key.ts';
import { TABLES } from '../by-id-or-key.ts';
import { NOTHING } from '../clauses.ts';
import { ASSET_COLUMNS, LOCATION_COLUMNS } from '../columns.ts';
import { loggedRow } from '../logged/entries.ts';
import { loggedTags, PARENT_COLUMN } from '../tags/queries.ts';

export interface DrawnId {
  placeholder: number;
  id: number;
}

/** The parent that a location is about to get. */
export interface ParentKey {
  placeholder: number;
  parentKey: string;
}

/**
 * Rows, and then tags, that get ids in one statement. With 350,000 tags and a busy machine, a whole file exceeded the
 * statement timeout.
 */
const GROUP = 2_000;

/**
 * Draws ids for all rows inserted under placeholders; nothing may be refused afterwards.
 *
 * Statistics do not know placeholders, so the planner would expect one and scan all rows per tag.
 *
 * @returns ids of locations, which others may refer to.
 */
export async function drawIds(
  transaction: OrganizationChange,
  resource: Keyed,
  parentKeys: readonly ParentKey[],
): Promise<readonly DrawnId[]> {
  const drawn: DrawnId[] = [];
  await transaction.exec(sql.type(NO_ROWS)`select set_config('enable_nestloop', 'off', true)`);
  for await (const [first, last] of placeholders(transaction, TABLES[resource])) {
    const parents = parentKeys.filter(({ placeholder: id }) => id >= first && id <= last);
    append(drawn, await drawRows(transaction, resource, first, last, parents));
  }
  for await (const [first, last] of placeholders(transaction, sql.fragment`tags`)) {
    await transaction.exec(sql.type(NO_ROWS)`
      update tags set id = default where org_id = ${transaction.orgId} and id between ${first} and ${last}`);
  }
  await transaction.exec(sql.type(NO_ROWS)`select set_config('enable_nestloop', 'on', true)`);
  return drawn;
}

async function* placeholders(
  transaction: OrganizationChange,
  table: FragmentSqlToken,
): AsyncGenerator<readonly [first: number, last: number], void> {
  for (let after = LOWEST - 1; ; ) {
    const { last } = await transaction.one(sql.type(rowsOf<{ last: number | null }>())`
      select max(id) as last from (
        select id from ${table}
        where org_id = ${transaction.orgId} and id > ${after}::bigint and id < 0
        order by id limit ${GROUP}
      ) placeholder`);
    if (last === null) {
      return;
    }
    yield [after + 1, last];
    after = last;
  }
}

const LOWEST = -2_147_483_648;

/** One statement: references are checked at its end. */
function drawRows(
  transaction: OrganizationChange,
  resource: Keyed,
  first: number,
  last: number,
  parents: readonly ParentKey[],
): Promise<readonly DrawnId[]> {
  const { orgId } = transaction;
  const [table, column] = [TABLES[resource], PARENT_COLUMN[resource]];
  return transaction.any(sql.type(rowsOf<DrawnId>())`
    with placeholder as (
      select id, external_key from ${table} where org_id = ${orgId} and id between ${first} and ${last}
    ), numbered as (
      update ${table} set id = default where org_id = ${orgId} and id between ${first} and ${last}
      returning *
    ), tagged as (
      update tags set id = default, ${column} = numbered.id
      from placeholder join numbered on numbered.external_key = placeholder.external_key
      where tags.org_id = ${orgId} and tags.${column} between ${first} and ${last}
        and tags.${column} = placeholder.id
      returning tags.${column} as owner, tags.id, tags.tag_type, tags.value
    ), listed as (
      select owner, ${loggedTags(sql.fragment`tagged`)} as logged from tagged group by owner
    ), ${resource === 'location' ? parented(parents) : NOTHING} changed as (
      ${intoChanges(sql.fragment`
        select ${orgId}, ${authorOf(transaction.actor)}, 'create', ${resource}, numbered.id::text,
          numbered.external_key, null, ${LOGGED[resource]}
        from numbered left join listed on listed.owner = numbered.id
        ${resource === 'location' ? PARENTED : NOTHING}
        order by numbered.id`)}
    )
    select placeholder.id as placeholder, numbered.id
    from placeholder join numbered on numbered.external_key = placeholder.external_key
    where ${resource} = 'location'`);
}

const TAGS = sql.fragment`'tags', coalesce(listed.logged, '[]')`;

const LOGGED: Record<Keyed, FragmentSqlToken> = {
  asset: loggedRow(ASSET_COLUMNS, 'numbered', TAGS),
  location: loggedRow(
    LOCATION_COLUMNS,
    'numbered',
    sql.fragment`'parent_external_key', parented.external_key, ${TAGS}`,
  ),
};

const PARENTED = sql.fragment`left join placeholder on placeholder.external_key = numbered.external_key
  left join parented on parented.placeholder = placeholder.id`;

function parented(parents: readonly ParentKey[]): FragmentSqlToken {
  const placeholders = sql.array(
    parents.map(({ placeholder }) => placeholder),
    'int4',
  );
  const keys = sql.array(
    parents.map(({ parentKey }) => parentKey),
    'text',
  );
  return sql.fragment`parented as (
      select * from unnest(${placeholders}, ${keys}) as parented (placeholder, external_key)
    ), `;
}
