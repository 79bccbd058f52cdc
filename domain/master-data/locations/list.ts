import type { Page, Paging, SortTerm } from '../../../base/page.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import { AT_MOST_FIRST, isFirstOf, isFoundByKey, isNear, lookUpsIn, NOTHING } from '../brief-list.ts';
import { allOf, finding, orderBy } from '../clauses.ts';
import { countInEffect, countLive } from '../live-count.ts';
import { type Listed, pageInPieces, type ReadLargeRows, textsThatFit } from '../pages-in-pieces.ts';
import type { LocationRow } from '../rows.ts';
import { type Narrowing, narrowedTo, type Standing, standingOf } from './filtered.ts';
import { PARENT, SHORT_COLUMNS, TAGGED, TEXTS } from './queries.ts';

const SORT_COLUMNS = {
  external_key: sql.fragment`location.external_key`,
  name: sql.fragment`location.name`,
  created_at: sql.fragment`location.created_at`,
};

export interface LocationFilters extends Narrowing, Standing, Paging {
  sort: readonly SortTerm<keyof typeof SORT_COLUMNS>[];
}

/** A page of locations, by default of those in effect (contract 4.3). */
export async function listLocations(
  db: OrganizationDatabase,
  filters: LocationFilters,
  readLarge: ReadLargeRows,
  signal?: AbortSignal,
): Promise<Page<LocationRow>> {
  const { orgId } = db;
  const isOne = filters.id !== undefined && isNear(filters);
  const isBrief = isOne || isFoundByKey(filters) || isFirstOf(filters, { inOrderOf: 'external_key' });
  const lookUps = lookUpsIn(filters);
  const order = orderBy(filters.sort, SORT_COLUMNS, sql.fragment`location.id`);
  const narrowing = narrowedTo(orgId, filters);
  const where = allOf([...standingOf(orgId, filters), ...narrowing]);
  const countEach = filters.include_not_in_effect ? countLive : countInEffect;
  const total =
    filters.include_deleted || narrowing.some((condition) => condition !== null)
      ? sql.fragment`select count(*) as total_count from locations location where ${where}`
      : countEach(orgId, 'location', filters.is_active);
  const rows = await db.listing({ isBrief, lookUps, signal }).any(sql.type(rowsOf<LocationRow & Listed>())`
    ${finding('location', orgId, filters.q)}
    select total.total_count, ${SHORT_COLUMNS}, ${textsThatFit(TEXTS, order)}
    from (${total}) total
    left join (
      select * from (
        select location.* from locations location
        where ${where}
        order by ${order}
        ${isBrief ? AT_MOST_FIRST : NOTHING}
      ) location
      order by ${order}
      limit ${filters.limit} offset ${filters.offset}
    ) location on true
    left join ${PARENT}
    cross join ${TAGGED}
    order by ${order}`);
  return pageInPieces(rows, (ids) => readLarge('location', ids));
}
