import { type FragmentSqlToken, NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { OrganizationChange } from '../../changes/make-change.ts';
import type { Keyed } from '../live-by-key.ts';
import { TABLES } from '../tables.ts';
import { PARENT_COLUMN } from '../tags/queries.ts';

/** A row inserted under a placeholder, with its real id. */
export interface DrawnId {
  placeholder: number;
  id: number;
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
export async function drawIds(transaction: OrganizationChange, resource: Keyed): Promise<readonly DrawnId[]> {
  const drawn: DrawnId[] = [];
  await transaction.exec(sql.type(NO_ROWS)`select set_config('enable_nestloop', 'off', true)`);
  for await (const [first, last] of placeholders(transaction, TABLES[resource])) {
    drawn.push(...(await drawRows(transaction, resource, first, last)));
  }
  for await (const [first, last] of placeholders(transaction, sql.fragment`tags`)) {
    await transaction.exec(sql.type(NO_ROWS)`
      update tags set id = default where org_id = ${transaction.orgId} and id between ${first} and ${last}`);
  }
  await transaction.exec(sql.type(NO_ROWS)`select set_config('enable_nestloop', 'on', true)`);
  return drawn;
}

/** Ranges of placeholders to handle together. */
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

/** The first placeholder there is. */
const LOWEST = -2_147_483_648;

/** One statement: references are checked at its end. */
function drawRows(
  transaction: OrganizationChange,
  resource: Keyed,
  first: number,
  last: number,
): Promise<readonly DrawnId[]> {
  const { orgId } = transaction;
  const [table, column] = [TABLES[resource], PARENT_COLUMN[resource]];
  return transaction.any(sql.type(rowsOf<DrawnId>())`
    with placeholder as (
      select id, external_key from ${table} where org_id = ${orgId} and id between ${first} and ${last}
    ), numbered as (
      update ${table} set id = default where org_id = ${orgId} and id between ${first} and ${last}
      returning id, external_key
    ), tagged as (
      update tags set id = default, ${column} = numbered.id
      from placeholder join numbered on numbered.external_key = placeholder.external_key
      where tags.org_id = ${orgId} and tags.${column} between ${first} and ${last}
        and tags.${column} = placeholder.id
    )
    select placeholder.id as placeholder, numbered.id
    from placeholder join numbered on numbered.external_key = placeholder.external_key
    where ${resource} = 'location'`);
}
