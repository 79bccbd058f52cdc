import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { type Finding, isOf, warning } from './finding.ts';

const MOST_NAMED = 10;

/** Names tags of several owners that an upgrade found to be one thing in several notations. */
export async function examineTags(db: Connection, orgId: number | null = null): Promise<Finding[]> {
  const rows = await db.any(sql.type(rowsOf<{ org_id: number; tags: string[] }>())`
    select collision.org_id, alike.tags
    from normal_key_collisions collision
    cross join lateral (
      select count(distinct (tag.asset_id, tag.location_id)) as owners, (array_agg(
        tag.tag_type || ':' || tag.value || ' of ' || coalesce(asset.external_key, location.external_key)
        order by tag.id))[:4] as tags
      from tags tag
      left join assets asset on asset.org_id = tag.org_id and asset.id = tag.asset_id
      left join locations location on location.org_id = tag.org_id and location.id = tag.location_id
      where tag.org_id = collision.org_id and tag.detached_at is null and (
        tag.normal_key = collision.normal_key
        or tag.normal_key is null and tag.tag_type = 'barcode' and tag.tag_key = collision.normal_key)
    ) alike
    where ${isOf(sql.fragment`collision.org_id`, orgId)} and alike.owners > 1
    order by collision.org_id, collision.found_at, collision.normal_key limit ${MOST_NAMED}`);
  return rows.map(({ org_id: id, tags }) =>
    warning(
      'tags',
      `Tags of organization ${id} name one thing in several notations: ${tags.join(', ')}; reads in another one are ambiguous`,
      'Detach those that are wrong, in the console or by DELETE /assets/{asset_id}/tags/{tag_id}',
    ),
  );
}
