import { JsonText } from '../../../base/json/json-text.ts';
import { wireTime, wireTimeOrNull } from '../../../base/timestamps.ts';
import type { LocationRow } from '../../../domain/master-data/rows.ts';
import { namedTags } from '../../../domain/master-data/tags/stored-tags.ts';

/** Contract 2.3. */
export function locationView(row: LocationRow) {
  return {
    id: row.id,
    external_key: row.external_key,
    name: row.name,
    description: row.description,
    parent_id: row.parent_id,
    parent_external_key: row.parent_external_key,
    is_active: row.is_active,
    valid_from: wireTime(row.valid_from),
    valid_to: wireTimeOrNull(row.valid_to),
    gln: row.gln,
    biz_step: row.biz_step,
    disposition: row.disposition,
    tags: new JsonText(namedTags(row.tags)),
    created_at: wireTime(row.created_at),
    updated_at: wireTime(row.updated_at),
    deleted_at: wireTimeOrNull(row.deleted_at),
  } satisfies Record<keyof LocationRow, unknown>;
}
