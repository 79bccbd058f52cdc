import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import type { TagType } from '../tracking/tag-type.ts';
import { type Finding, isOf, warning } from './finding.ts';

const MOST_NAMED = 10;

/** How many tags of each owner are named, and how many owners. */
const MOST_OF_OWNER = 2;
const MOST_OWNERS = 4;

/** A tag that names the same thing as one of another owner. */
export interface AlikeTag {
  id: number;
  tag_type: TagType;
  value: string;
  owner: { type: 'asset' | 'location'; id: number; external_key: string; name: string };
}

/** Tags of several owners that an upgrade found to be one thing in several notations. */
export async function listAlikeTags(
  db: Connection,
  orgId: number | null,
  most = MOST_NAMED,
): Promise<{ orgId: number; tags: AlikeTag[] }[]> {
  const rows = await db.any(sql.type(rowsOf<{ org_id: number; tags: string }>())`
    select collision.org_id, alike.tags
    from normal_key_collisions collision
    cross join lateral (
      select json_agg(
        json_build_object('id', tag.id, 'tag_type', tag.tag_type, 'value', tag.value, 'owner', json_build_object(
          'type', case when tag.asset_id is null then 'location' else 'asset' end,
          'id', coalesce(asset.id, location.id),
          'external_key', coalesce(asset.external_key, location.external_key),
          'name', coalesce(asset.name, location.name)))
        order by tag.id)
        filter (where tag.of_owner <= ${MOST_OF_OWNER} and tag.owner <= ${MOST_OWNERS})::text as tags,
        max(tag.owner) as owners
      from (
        select tags.*, dense_rank() over (order by asset_id, location_id) as owner,
          row_number() over (partition by asset_id, location_id order by id) as of_owner
        from (
          select * from tags
          where org_id = collision.org_id and normal_key = collision.normal_key and detached_at is null
          union all
          select * from tags
          where org_id = collision.org_id and tag_type = 'barcode' and tag_key = collision.normal_key
            and normal_key is null and detached_at is null
        ) tags
      ) tag
      left join assets asset on asset.org_id = tag.org_id and asset.id = tag.asset_id
      left join locations location on location.org_id = tag.org_id and location.id = tag.location_id
    ) alike
    where ${isOf(sql.fragment`collision.org_id`, orgId)} and alike.owners > 1
    order by collision.org_id, collision.found_at, collision.normal_key limit ${most}`);
  return rows.map(({ org_id: id, tags }) => ({ orgId: id, tags: JSON.parse(tags) }));
}

export async function examineTags(db: Connection, orgId: number | null = null): Promise<Finding[]> {
  const alike = await listAlikeTags(db, orgId);
  return alike.map(({ orgId: id, tags }) => {
    const named = tags.map(({ tag_type, value, owner }) => `${tag_type}:${value} of ${owner.external_key}`);
    return warning(
      'tags',
      `Tags of organization ${id} name one thing in several notations: ${named.join(', ')}; reads in another one are ambiguous`,
      'Detach those that are wrong, in the console or by DELETE /assets/{asset_id}/tags/{tag_id}',
      { what: 'detach_alike', id: null },
    );
  });
}
