import { JsonText } from '../../../base/json/json-text.ts';
import type { SameJson } from '../../../base/json/same-json.ts';
import { toWire, wireTimeOrNull } from '../../../base/timestamps.ts';
import { patchedMetadata } from '../assets/patch.ts';
import { patchedCommon } from '../patched.ts';
import type { NewTag } from '../tags/schema.ts';
import { tagViews } from '../tags/view.ts';
import type { GivenRow } from './given-row.ts';
import type { FieldChange } from './report.ts';
import type { StoredRow } from './stored-rows.ts';

/** A stored row once what was given is applied, but for its tags, and the parent of a location. */
export type PatchedRow = Omit<StoredRow, 'parent_external_key' | 'tags'>;

export async function patchedRow(stored: StoredRow, given: GivenRow, same: SameJson): Promise<PatchedRow> {
  const { id, external_key, metadata } = stored;
  return {
    id,
    external_key,
    ...patchedCommon(stored, given),
    metadata: metadata === null ? null : await patchedMetadata(given.metadata, metadata, same),
  };
}

/**
 * What a row changes of what is stored, field by field, as the API shows the values.
 *
 * @param added those of the given tags that it does not have.
 */
export function fieldChanges(
  stored: StoredRow,
  given: GivenRow,
  patched: PatchedRow,
  added: readonly NewTag[],
): FieldChange[] {
  const changes = (Object.keys(patched) as (keyof PatchedRow)[])
    .filter((field) => stored[field] !== patched[field])
    .map((field) => ({ field, from: storedValue(stored, field), to: givenValue(given, field) }));
  return [...changes, ...parentChange(stored, given), ...tagChange(stored, added)];
}

function parentChange(stored: StoredRow, { parent_external_key: to }: GivenRow): FieldChange[] {
  const { parent_external_key: from } = stored;
  return to === undefined || to === from ? [] : [{ field: 'parent_external_key', from, to }];
}

function tagChange(stored: StoredRow, added: readonly NewTag[]): FieldChange[] {
  if (added.length === 0) {
    return [];
  }
  const from = tagViews(stored.tags).map(({ tag_type, value }) => ({ tag_type, value }));
  const to = [...from, ...added.map(({ tagType, value }) => ({ tag_type: tagType, value }))];
  return [{ field: 'tags', from, to }];
}

function storedValue(stored: StoredRow, field: keyof PatchedRow): FieldChange['from'] {
  switch (field) {
    case 'metadata':
      return stored.metadata === null ? null : new JsonText(stored.metadata);
    case 'valid_from':
    case 'valid_to':
      return wireTimeOrNull(stored[field]);
    default:
      return stored[field];
  }
}

function givenValue(given: GivenRow, field: keyof PatchedRow): FieldChange['from'] {
  switch (field) {
    case 'id':
      return null;
    case 'metadata':
      return given.metadata === undefined ? null : new JsonText(given.metadata);
    case 'valid_from':
    case 'valid_to': {
      const time = given[field];
      return time === undefined ? null : toWire(time);
    }
    default:
      return given[field] ?? null;
  }
}
