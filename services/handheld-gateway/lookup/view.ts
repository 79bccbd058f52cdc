import { wireTime, wireTimeOrNull } from '../../../base/timestamps.ts';
import { referenceOf } from '../wire/reference.ts';
import type { ExpectedRow, LocationRow, TaggedRow } from './queries.ts';

export function taggedView(row: TaggedRow) {
  const location = referenceOf(row.location_id, row.location_external_key, row.location_name);
  const asset = referenceOf(row.asset_id, row.asset_external_key, row.asset_name);
  return {
    tag_type: row.tag_type,
    value: row.value,
    asset: asset === null ? null : { ...asset, last_seen: wireTimeOrNull(row.last_seen), location },
    location: asset === null ? location : null,
  };
}

export function locationView({ id, external_key, name, parent_id, tags }: LocationRow) {
  return { id, external_key, name, parent_id, tags: JSON.parse(tags) };
}

export function expectedView({ id, external_key, name, last_seen, tags }: ExpectedRow) {
  return { id, external_key, name, last_seen: wireTime(last_seen), tags: JSON.parse(tags) };
}
