import { JsonText, jsonOrNull } from '../../../base/json/json-text.ts';
import { wireTime, wireTimeOrNull } from '../../../base/timestamps.ts';
import type { AssetRow } from '../../../domain/master-data/rows.ts';
import { namedTags } from '../../../domain/master-data/tags/stored-tags.ts';

/** Contract 2.2. */
export function assetView(row: AssetRow) {
  return {
    id: row.id,
    external_key: row.external_key,
    name: row.name,
    description: row.description,
    location_id: row.location_id,
    location_external_key: row.location_external_key,
    position: jsonOrNull(row.position),
    is_active: row.is_active,
    valid_from: wireTime(row.valid_from),
    valid_to: wireTimeOrNull(row.valid_to),
    metadata: new JsonText(row.metadata),
    tags: new JsonText(namedTags(row.tags)),
    created_at: wireTime(row.created_at),
    updated_at: wireTime(row.updated_at),
    deleted_at: wireTimeOrNull(row.deleted_at),
  } satisfies Record<keyof AssetRow, unknown>;
}
