import { JsonText } from '../../shared/http/json-text.ts';
import { toWire, wireTimeOrNull } from '../../shared/http/timestamps.ts';
import { changedColumns } from '../assets/patch.ts';
import type { AssetColumns } from '../assets/queries.ts';
import type { NewTag } from '../tags/schema.ts';
import { tagViews } from '../tags/view.ts';
import type { ImportedAsset } from './imported-asset.ts';
import type { StoredAsset } from './queries.ts';
import type { FieldChange } from './report.ts';

/**
 * What a row changes of an asset, field by field, as the API shows the values.
 *
 * @param patched the asset's columns once what was given is applied.
 * @param added those of the given tags that it does not have.
 */
export function fieldChanges(
  stored: StoredAsset,
  given: ImportedAsset,
  patched: AssetColumns,
  added: readonly NewTag[],
): FieldChange[] {
  const columns = changedColumns(stored, patched).map((field) => ({
    field,
    from: storedValue(stored, field),
    to: givenValue(given, field),
  }));
  if (added.length === 0) {
    return columns;
  }
  const from = tagViews(stored.tags).map(({ tag_type, value }) => ({ tag_type, value }));
  const to = [...from, ...added.map(({ tagType, value }) => ({ tag_type: tagType, value }))];
  return [...columns, { field: 'tags', from, to }];
}

function storedValue(stored: StoredAsset, field: keyof AssetColumns): FieldChange['from'] {
  switch (field) {
    case 'metadata':
      return new JsonText(stored.metadata);
    case 'valid_from':
    case 'valid_to':
      return wireTimeOrNull(stored[field]);
    default:
      return stored[field];
  }
}

function givenValue(given: ImportedAsset, field: keyof AssetColumns): FieldChange['from'] {
  switch (field) {
    case 'valid_from':
    case 'valid_to': {
      const time = given[field];
      return time === undefined ? null : toWire(time);
    }
    default:
      return given[field] ?? null;
  }
}
