import { type Page, pageOf } from '../../../base/page.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import { orderBy } from '../../../domain/master-data/clauses.ts';
import type { Known } from '../../../domain/reports/known/known-at.ts';
import { undoneRows } from '../../../domain/reports/known/undone.ts';
import { SORT_COLUMNS, withinPeriod } from './queries.ts';
import type { HistoryFilters } from './schema.ts';
import type { TransitionRow } from './view.ts';

/** A page of an asset's transitions as they were known, under the locations' current names. */
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
