import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { type RowQuery, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import * as assets from '../assets/list.ts';
import type { KeyedRow } from '../by-id-or-key.ts';
import { allOf } from '../clauses.ts';
import * as locations from '../locations/list.ts';
import { soughtTags } from '../tags/queries.ts';

/** Ids that a statement finds: a search finds all matches each time, and this many of them are read. */
const FOUND = 10_000;

/** Ids of a page; with 250 rows of ordinary length, writing a piece takes a few milliseconds. */
const PAGE = 250;

export type ExportedAssets = Omit<assets.AssetFilters, NotFilters>;
export type ExportedLocations = Omit<locations.LocationFilters, NotFilters>;

type NotFilters = 'sort' | 'limit' | 'offset' | 'include_deleted';

/** Live assets that the list shows with these filters, in order of keys. */
export function pagesOfAssets(db: OrganizationDatabase, filters: ExportedAssets, signal: AbortSignal) {
  const { orgId } = db;
  const standing = { ...filters, include_deleted: false };
  const values = { ...assets.soughtOf(filters), orgId };
  const narrowing = assets.narrowedTo(values, standing);
  return pagesOf(db, signal, (after) => {
    const next = [sql.fragment`asset.external_key > ${after}`];
    return assets.isSearched(values)
      ? sql.type(rowsOf<KeyedRow>())`
          with ${assets.matched(orgId, values, standing, narrowing)}
          select asset.id, asset.external_key from matched asset
          where ${allOf(next)}
          order by asset.external_key limit ${FOUND}`
      : sql.type(rowsOf<KeyedRow>())`
          select asset.id, asset.external_key from ${assets.PLACED}
          where ${allOf([...assets.standingOf(orgId, standing), ...narrowing, ...next])}
          order by asset.external_key limit ${FOUND}`;
  });
}

/** Live locations that the list shows with these filters, in order of keys. */
export function pagesOfLocations(db: OrganizationDatabase, filters: ExportedLocations, signal: AbortSignal) {
  const { orgId } = db;
  const values = soughtTags(filters);
  const conditions = [
    ...locations.standingOf(orgId, { ...filters, include_deleted: false }),
    ...locations.narrowedTo(orgId, values),
  ];
  return pagesOf(
    db,
    signal,
    (after) => sql.type(rowsOf<KeyedRow>())`
      ${locations.finding(orgId, values)}
      select location.id, location.external_key from locations location
      where ${allOf([...conditions, sql.fragment`location.external_key > ${after}`])}
      order by location.external_key limit ${FOUND}`,
  );
}

async function* pagesOf(
  db: OrganizationDatabase,
  signal: AbortSignal,
  query: (after: string) => RowQuery<KeyedRow>,
): AsyncGenerator<readonly number[], void> {
  const lists = db.listing({ isBrief: false, isWhole: true, signal });
  for (let after = ''; ; ) {
    const rows = await lists.any(query(after));
    for (let at = 0; at < rows.length; at += PAGE) {
      yield rows.slice(at, at + PAGE).map(({ id }) => id);
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < FOUND) {
      return;
    }
    after = last.external_key;
  }
}
