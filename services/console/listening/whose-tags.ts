import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { HeardTag } from '../../../domain/listening/heard.ts';
import { tagKey } from '../../../domain/tracking/tag-key.ts';
import type { Reference } from '../serving/reference.ts';

/** Whose a tag is: of an asset or of a location. */
export interface Owner {
  asset: Reference | null;
  location: Reference | null;
}

interface OwnerRow {
  index: number;
  value: string;
  is_asset: boolean;
  id: number;
  external_key: string;
  name: string;
}

/** Owners by type and value as heard: of the tag with exactly this value, else of the only one with this key (docs/tracking.md). */
export async function findOwners(
  db: OrganizationDatabase,
  tags: readonly HeardTag[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Owner>> {
  const { orgId } = db;
  const rows = await db.listing({ isBrief: true, signal }).any(sql.type(rowsOf<OwnerRow>())`
    select heard.index::integer, tag.value, tag.asset_id is not null as is_asset,
      coalesce(asset.id, location.id) as id, coalesce(asset.external_key, location.external_key) as external_key,
      coalesce(asset.name, location.name) as name
    from unnest(
      ${sql.array(
        tags.map(({ tagType }) => tagType),
        'text',
      )},
      ${sql.array(
        tags.map(({ tagType, value }) => tagKey(tagType, value)),
        'text',
      )}
    ) with ordinality as heard (tag_type, tag_key, index)
    join tags tag on tag.org_id = ${orgId} and tag.tag_type = heard.tag_type and tag.tag_key = heard.tag_key
      and tag.detached_at is null
    left join assets asset on asset.org_id = ${orgId} and asset.id = tag.asset_id and asset.deleted_at is null
    left join locations location on location.org_id = ${orgId} and location.id = tag.location_id
      and location.deleted_at is null
    where coalesce(asset.id, location.id) is not null`);
  const owners = new Map<string, Owner>();
  for (const [index, tag] of tags.entries()) {
    const candidates = rows.filter((row) => row.index === index + 1);
    const row =
      candidates.find(({ value }) => value === tag.value) ?? (candidates.length === 1 ? candidates[0] : null);
    if (row != null) {
      const { id, external_key, name } = row;
      const reference = { id, external_key, name };
      owners.set(
        ownerKey(tag),
        row.is_asset ? { asset: reference, location: null } : { asset: null, location: reference },
      );
    }
  }
  return owners;
}

export function ownerKey({ tagType, value }: Pick<HeardTag, 'tagType' | 'value'>): string {
  return `${tagType} ${value}`;
}
