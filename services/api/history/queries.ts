import { type FragmentSqlToken, sql } from 'slonik';
import type { OrganizationDatabase } from '../../../db/timescale/organization-door.ts';
import { rowsOf } from '../../../db/timescale/row-queries.ts';
import { type Page, pageOf } from '../../shared/http/lists.ts';
import type { TimeBound } from '../../shared/http/parameters.ts';
import { toDatabase } from '../../shared/http/timestamps.ts';
import { isNear } from '../brief-list.ts';
import { allOf, orderBy, when } from '../sql.ts';
import type { HistoryFilters } from './schema.ts';
import type { TransitionRow } from './view.ts';

const SORT_COLUMNS = { event_observed_at: sql.fragment`transition.observed_at` };

/** A page of an asset's transitions. Locations are named as they are called now, deleted ones too. */
export async function listTransitions(
  db: OrganizationDatabase,
  assetId: number,
  filters: HistoryFilters,
  signal?: AbortSignal,
): Promise<Page<TransitionRow>> {
  const { orgId } = db;
  // No two transitions of an asset have the same time, so the order needs no other tie-breaker.
  const order = orderBy(filters.sort, SORT_COLUMNS, sql.fragment`transition.observed_at`);
  const where = allOf([
    sql.fragment`transition.org_id = ${orgId}`,
    sql.fragment`transition.asset_id = ${assetId}`,
    when(
      filters.from,
      ({ instant }) => sql.fragment`transition.observed_at >= ${toDatabase(instant)}::timestamptz`,
    ),
    when(filters.to, (to) => sql.fragment`transition.observed_at ${upTo(to)}`),
  ]);
  const rows = await db
    .listing({ isBrief: isNear(filters), signal })
    .any(sql.type(rowsOf<TransitionRow & { id: number; total_count: number }>())`
    select total.total_count, transition.asset_id as id, transition.observed_at, transition.location_id,
      location.external_key as location_external_key, transition.duration_seconds
    from (select count(*) as total_count from location_transitions transition where ${where}) total
    left join (
      select transition.* from location_transitions transition
      where ${where}
      order by ${order}
      limit ${filters.limit} offset ${filters.offset}
    ) transition on true
    left join locations location
      on location.org_id = transition.org_id and location.id = transition.location_id
    order by ${order}`);
  return pageOf(rows);
}

/**
 * The wire shows milliseconds and the database keeps microseconds: a bound that was copied from the wire includes
 * everything that the wire shows as that instant.
 */
function upTo({ instant, isMilliseconds }: TimeBound): FragmentSqlToken {
  const time = sql.fragment`${toDatabase(instant)}::timestamptz`;
  return isMilliseconds ? sql.fragment`< ${time} + interval '1 millisecond'` : sql.fragment`<= ${time}`;
}
