import { JsonText } from '../../../base/json/json-text.ts';
import type { SameJson } from '../../../base/json/same-json.ts';
import { type Instant, toWire, wireTime } from '../../../base/timestamps.ts';
import type { ChangeEntry } from '../../changes/entry.ts';
import type { Keyed } from '../by-id-or-key.ts';
import { type Column, columnsOf, type ItemColumn } from '../columns.ts';
import { changeOf } from '../logged/entries.ts';
import { patched } from '../stored-columns.ts';
import type { NewTag } from '../tags/new-tag.ts';
import { storedTags } from '../tags/stored-tags.ts';
import type { GivenRow } from './given-row.ts';
import type { FieldChange } from './report.ts';
import type { StoredRow } from './stored-rows.ts';

export type PatchedRow = Omit<StoredRow, 'parent_external_key' | 'tags'>;

export async function patchedRow(
  resource: Keyed,
  stored: StoredRow,
  given: GivenRow,
  same: SameJson,
): Promise<PatchedRow> {
  const { id, external_key } = stored;
  return { id, external_key, ...(await patched(columnsOf(resource), stored, given, same)) };
}

/**
 * Field-by-field changes that a row makes, as the API shows values.
 *
 * @param added given tags that it lacks.
 */
export function fieldChanges(
  resource: Keyed,
  stored: StoredRow,
  given: GivenRow,
  after: PatchedRow,
  added: readonly NewTag[],
): FieldChange[] {
  const columns = Object.entries(columnsOf(resource)) as [ItemColumn, Column][];
  const changes = columns
    .filter(([name]) => stored[name] !== after[name])
    .map(([name, { type }]) => ({
      field: name,
      from: storedValue(type, stored[name] ?? null),
      to: givenValue(type, given[name] ?? null),
    }));
  return [...changes, ...parentChange(stored, given), ...tagChange(stored, added)];
}

/** The values of a row that creates, as the API shows them. */
export function newFields(resource: Keyed, given: GivenRow): FieldChange[] {
  const columns = Object.entries(columnsOf(resource)) as [ItemColumn, Column][];
  const fields = columns
    .filter(([name]) => given[name] !== undefined)
    .map(([name, { type }]) => ({ field: name, from: null, to: givenValue(type, given[name] ?? null) }));
  const { parent_external_key: parent, tags = [] } = given;
  return [
    ...fields,
    ...(parent === undefined ? [] : [{ field: 'parent_external_key', from: null, to: parent }]),
    ...(tags.length === 0
      ? []
      : [
          { field: 'tags', from: null, to: tags.map(({ tagType, value }) => ({ tag_type: tagType, value })) },
        ]),
  ];
}

/** The change log's entry for an updated row. @param added tags that it lacks. */
export function loggedUpdate(
  orgId: number,
  resource: Keyed,
  stored: StoredRow,
  after: PatchedRow,
  given: GivenRow,
  added: readonly NewTag[],
): ChangeEntry {
  const { parent_external_key: parent } = given;
  const isMoved = parent !== undefined && parent !== stored.parent_external_key;
  const tags = added.map(({ tagType, value }) => ({ tag_type: tagType, value }));
  return changeOf(orgId, resource, stored, after, {
    before: {
      ...(isMoved ? { parent_external_key: stored.parent_external_key } : {}),
      ...(tags.length > 0 ? { tags: [] } : {}),
    },
    after: {
      ...(isMoved ? { parent_external_key: parent } : {}),
      ...(tags.length > 0 ? { tags } : {}),
    },
  });
}

function parentChange(stored: StoredRow, { parent_external_key: to }: GivenRow): FieldChange[] {
  const { parent_external_key: from } = stored;
  return to === undefined || to === from ? [] : [{ field: 'parent_external_key', from, to }];
}

function tagChange(stored: StoredRow, added: readonly NewTag[]): FieldChange[] {
  if (added.length === 0) {
    return [];
  }
  const from = storedTags(stored.tags).map(({ tag_type, value }) => ({ tag_type, value }));
  const to = [...from, ...added.map(({ tagType, value }) => ({ tag_type: tagType, value }))];
  return [{ field: 'tags', from, to }];
}

function storedValue(type: Column['type'], value: string | boolean | null): FieldChange['from'] {
  if (typeof value !== 'string') {
    return value;
  }
  return type === 'json' ? new JsonText(value) : type === 'time' ? wireTime(value) : value;
}

function givenValue(type: Column['type'], value: string | boolean | null): FieldChange['to'] {
  if (typeof value !== 'string') {
    return value;
  }
  return type === 'json' ? new JsonText(value) : type === 'time' ? toWire(value as Instant) : value;
}
