import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { HeardTag } from '../../../domain/listening/heard.ts';
import { chooseTag, MOST_SPELLINGS } from '../../../domain/tracking/resolve-tags.ts';
import { tagKey } from '../../../domain/tracking/tag-key.ts';
import type { Reference } from '../serving/reference.ts';

/** Whose a tag is: of an asset or of a location. */
export interface Owner {
  asset: Reference | null;
  location: Reference | null;
}

interface OwnerRow {
  index: number;
  id: number;
  value: string;
  asset_id: number | null;
  location_id: number | null;
  external_key: string;
  name: string;
}

/** Owners by type and value as heard: matched as reads are (docs/tracking.md). */
export async function findOwners(
  db: OrganizationDatabase,
  tags: readonly HeardTag[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Owner>> {
  const { orgId } = db;
  const rows = await db.listing({ isBrief: true, signal }).any(sql.type(rowsOf<OwnerRow>())`
    select heard.index::integer, tag.id, tag.value, asset.id as asset_id, location.id as location_id,
      coalesce(asset.external_key, location.external_key) as external_key,
      coalesce(asset.name, location.name) as name
    from unnest(
      ${sql.array(
        tags.map(({ tagType }) => tagType),
        'text',
      )},
      ${sql.array(
        tags.map(({ value }) => value),
        'text',
      )},
      ${sql.array(
        tags.map(({ tagType, value }) => tagKey(tagType, value)),
        'text',
      )}
    ) with ordinality as heard (tag_type, value, tag_key, index)
    cross join lateral (
      select id, value, asset_id, location_id from tags
      where org_id = ${orgId} and tag_type = heard.tag_type and tag_key = heard.tag_key and detached_at is null
      order by value = heard.value desc, id limit ${MOST_SPELLINGS + 1}
    ) tag
    left join assets asset on asset.org_id = ${orgId} and asset.id = tag.asset_id and asset.deleted_at is null
    left join locations location on location.org_id = ${orgId} and location.id = tag.location_id
      and location.deleted_at is null
    where coalesce(asset.id, location.id) is not null`);
  const owners = new Map<string, Owner>();
  for (const [index, tag] of tags.entries()) {
    const choice = chooseTag(
      tag.value,
      rows.filter((row) => row.index === index + 1),
    );
    if (choice.kind === 'one') {
      const { asset_id, location_id, external_key, name } = choice.tag;
      owners.set(ownerKey(tag), {
        asset: asset_id === null ? null : { id: asset_id, external_key, name },
        location: location_id === null ? null : { id: location_id, external_key, name },
      });
    }
  }
  return owners;
}

export function ownerKey({ tagType, value }: Pick<HeardTag, 'tagType' | 'value'>): string {
  return `${tagType} ${value}`;
}
