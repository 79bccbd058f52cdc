import { type Page, type Paging, pageOf } from '../../../base/page.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import { finding, isFound } from '../../../domain/master-data/clauses.ts';

export interface FoundLocationRow {
  id: number;
  external_key: string;
  name: string;
  parent_id: number | null;
  parent_external_key: string | null;
  parent_name: string | null;
  assets_here: number;
}

/** Live locations with the text in their name, key, description or a tag; one with that key or name comes first. */
export async function findLocations(
  db: OrganizationDatabase,
  text: string,
  { limit, offset }: Paging,
  signal: AbortSignal,
): Promise<Page<FoundLocationRow>> {
  const { orgId } = db;
  const rows = await db
    .listing({ isBrief: false, signal })
    .any(sql.type(rowsOf<FoundLocationRow & { total_count: number }>())`
    ${finding('location', orgId, text)},
    live as materialized (
      select location.id, location.external_key, location.name, location.parent_id,
        folded(${text}) in (folded(location.external_key), folded(location.name)) as is_exact
      from locations location
      where location.org_id = ${orgId} and location.deleted_at is null and ${isFound('location')}
    ),
    page as materialized (
      select * from live order by is_exact desc, name, id limit ${limit} offset ${offset}
    )
    select total.total_count, page.id, page.external_key, page.name, page.parent_id,
      parent.external_key as parent_external_key, parent.name as parent_name, (
        select count(*) from positions
        where org_id = ${orgId} and location_id = page.id and not is_of_deleted
      ) as assets_here
    from (select count(*) as total_count from live) total
    left join page on true
    left join locations parent on parent.org_id = ${orgId} and parent.id = page.parent_id
    order by page.is_exact desc, page.name, page.id`);
  return pageOf(rows);
}
