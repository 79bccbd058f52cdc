import { type Page, type Paging, pageOf } from '../../../base/page.ts';
import { rowKey } from '../../../base/row-key.ts';
import { fromDatabase, toDatabase, toMicros, wireTime } from '../../../base/timestamps.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { ComposedOnce } from '../../../db/timescale/queries/composed-statements.ts';
import {
  type FragmentSqlToken,
  rowsOf,
  sql,
  type ValueExpression,
} from '../../../db/timescale/queries/sql.ts';
import { rowById } from '../../../domain/master-data/by-id-or-key.ts';
import { allOf, isNear, orderBy, when } from '../../../domain/master-data/clauses.ts';
import type { Known } from '../../../domain/reports/known/known-at.ts';
import { undoneRows } from '../../../domain/reports/known/undone.ts';
import type { HistoryFilters } from './schema.ts';

export interface TransitionRow {
  observed_at: string;
  location_id: number;
  location_external_key: string;
  duration_seconds: number | null;
}

export const SORT_COLUMNS = { event_observed_at: sql.fragment`transition.observed_at` };

/** A page of an asset's transitions. Locations have their current names, deleted ones too. */
export async function listTransitions(
  db: OrganizationDatabase,
  assetId: number,
  filters: HistoryFilters,
  signal?: AbortSignal,
): Promise<Page<TransitionRow>> {
  const { sort, limit, offset, from, to } = filters;
  const values = { ...{ orgId: db.orgId, assetId, limit, offset }, ...instantsOf({ from, to }) };
  const shape = { sort, toMilliseconds: to?.isMilliseconds };
  const rows = await db
    .listing({ isBrief: isNear(filters), signal })
    .any(TRANSITIONS.statement(values, shape));
  return pageOf(rows);
}

const TRANSITIONS = new ComposedOnce(
  (
    { orgId, assetId, limit, offset, ...period }: Instants & Paging & { orgId: number; assetId: number },
    { sort, toMilliseconds }: Pick<HistoryFilters, 'sort'> & Precision,
  ) => {
    // No two transitions of an asset have the same time, so the order needs no other tie-breaker.
    const order = orderBy(sort, SORT_COLUMNS, sql.fragment`transition.observed_at`);
    const within = (table: string) => isWithin(table, orgId, assetId, { ...period, toMilliseconds });
    return sql.type(rowsOf<TransitionRow & { id: number; total_count: number }>())`
    select total.total_count, transition.asset_id as id, transition.observed_at, transition.location_id,
      location.external_key as location_external_key, transition.duration_seconds
    from (${countTransitions(within, period.from !== undefined)}) total
    left join (
      select transition.* from location_transitions transition
      where ${within('transition')}
      order by ${order}
      limit ${limit} offset ${offset}
    ) transition on true
    left join ${rowById('location', orgId, sql.fragment`transition.location_id`)} location on true
    order by ${order}`;
  },
);

/**
 * Counts an asset's transitions in a period: counts between the first and the last of its marks there are stored
 * (`history_marks`), so only those at both ends are counted.
 *
 * Each `offset 0` is an optimization fence: the expression is computed once, before the index scan that uses it.
 */
function countTransitions(within: (table: string) => ValueExpression, hasFrom: boolean): FragmentSqlToken {
  const marks = sql.fragment`history_marks mark where ${within('mark')}`;
  const counted = sql.fragment`select count(*) from location_transitions transition where ${within('transition')}`;
  const [first, upToFirst] = !hasFrom
    ? [sql.fragment`select timestamptz '-infinity' as at`, sql.fragment`0`]
    : [
        sql.fragment`select coalesce(min(mark.observed_at), '-infinity') as at from ${marks}`,
        sql.fragment`(${counted} and transition.observed_at <= marked.first_at)`,
      ];
  return sql.fragment`select (
      marked.stays + ${upToFirst} + (${counted} and transition.observed_at > marked.last_at)
    )::int8 as total_count
    from (
      select first.at as first_at, coalesce(later.stays, 0) as stays, coalesce(later.last_at, first.at) as last_at
      from (${first} offset 0) first
      cross join lateral (
        select sum(mark.stays) as stays, max(mark.observed_at) as last_at
        from ${marks} and mark.observed_at > first.at
      ) later
      offset 0
    ) marked
    offset 0`;
}

/** @param table alias of a table of assets at instants. */
export function withinPeriod(
  table: string,
  orgId: number,
  assetId: number,
  period: Pick<HistoryFilters, 'from' | 'to'>,
): ValueExpression {
  const bounds = { ...instantsOf(period), toMilliseconds: period.to?.isMilliseconds };
  return isWithin(table, orgId, assetId, bounds);
}

interface Instants {
  from: string | undefined;
  to: string | undefined;
}

interface Precision {
  toMilliseconds: boolean | undefined;
}

function instantsOf({ from, to }: Pick<HistoryFilters, 'from' | 'to'>): Instants {
  return { from: from && toDatabase(from.instant), to: to && toDatabase(to.instant) };
}

/**
 * The wire shows milliseconds and the database keeps microseconds: a bound copied from the wire includes everything
 * that the wire shows as that instant.
 */
function isWithin(
  table: string,
  orgId: number,
  assetId: number,
  { from, to, toMilliseconds }: Instants & Precision,
): ValueExpression {
  const column = (name: string) => sql.identifier([table, name]);
  const at = column('observed_at');
  return allOf([
    sql.fragment`${column('org_id')} = ${orgId}`,
    sql.fragment`${column('asset_id')} = ${assetId}`,
    when(from, (first) => sql.fragment`${at} >= ${first}::timestamptz`),
    when(to, (last) =>
      toMilliseconds
        ? sql.fragment`${at} < ${last}::timestamptz + interval '1 millisecond'`
        : sql.fragment`${at} <= ${last}::timestamptz`,
    ),
  ]);
}

/** Contract 2.6. */
export function historyItemView(row: TransitionRow) {
  return {
    event_observed_at: wireTime(row.observed_at),
    location_id: row.location_id,
    location_external_key: row.location_external_key,
    duration_seconds: row.duration_seconds,
    row: rowKey(toMicros(fromDatabase(row.observed_at))),
  };
}

/** A page of an asset's transitions as known then, with the locations' present names. */
export async function listKnownTransitions(
  db: OrganizationDatabase,
  assetId: number,
  known: Known,
  filters: HistoryFilters,
  signal?: AbortSignal,
): Promise<Page<TransitionRow>> {
  const { orgId } = db;
  const order = orderBy(filters.sort, SORT_COLUMNS, sql.fragment`transition.observed_at`);
  const rows = await db.listing({ isBrief: false, signal }).any(
    sql.type(rowsOf<TransitionRow & { id: number; total_count: number }>())`
    with undone as materialized (
      ${undoneRows(orgId, known, sql.fragment`select ${assetId}::integer as asset_id`)}
    ), known as materialized (
      select kept.org_id, kept.asset_id, kept.observed_at, kept.location_id, kept.duration_seconds
      from location_transitions kept
      where kept.org_id = ${orgId} and kept.asset_id = ${assetId}
        and not exists (select from undone where undone.observed_at = kept.observed_at)
      union all
      select ${orgId}::integer, asset_id, observed_at, location_id, duration_seconds
      from undone where location_id is not null
    ), transition as materialized (
      select * from known transition where ${withinPeriod('transition', orgId, assetId, filters)}
    )
    select total.total_count, transition.asset_id as id, transition.observed_at, transition.location_id,
      location.external_key as location_external_key, transition.duration_seconds
    from (select count(*) as total_count from transition) total
    left join (
      select * from transition order by ${order} limit ${filters.limit} offset ${filters.offset}
    ) transition on true
    left join locations location
      on location.org_id = transition.org_id and location.id = transition.location_id
    order by ${order}`,
  );
  return pageOf(rows);
}
