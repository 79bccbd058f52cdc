import { type JsonSchema, KEY_SCHEMA } from '../../../base/checks/fields.ts';
import { ID_SCHEMA } from '../../../base/checks/id-field.ts';
import { type ReadOnly, unchanged } from '../../../base/checks/members.ts';
import { nullableSchema } from '../../../base/checks/members-schema.ts';
import { sameScalar, sameTime } from '../../../base/checks/same.ts';
import { isArray, isJsonObject, type Json, type JsonObject } from '../../../base/json/exact-json.ts';
import type { Managed } from '../../../domain/master-data/rows.ts';

const TIME: JsonSchema = { type: 'string', format: 'date-time' };
const SUBMIT = 'submit the current value or omit';

export function managedMembers(resource: 'assets' | 'locations', tag: JsonSchema) {
  const path = `/api/v1/${resource}/{id}`;
  return {
    id: unchanged<Managed>(ID_SCHEMA, `id is server-assigned; ${SUBMIT}`, (value, { id }) =>
      sameScalar(value, id),
    ),
    external_key: unchanged<Managed>(
      KEY_SCHEMA,
      `external_key is changed by POST ${path}/rename; ${SUBMIT}`,
      (value, { external_key }) => sameScalar(value, external_key),
    ),
    tags: unchanged<Managed>(
      { type: 'array', items: tag },
      `tags are attached by POST ${path}/tags and detached by DELETE ${path}/tags/{tag_id}; ${SUBMIT}`,
      (value, { tags }) => value === tagsInBrief(JSON.parse(tags)),
      tagsInBrief,
    ),
    created_at: unchanged<Managed>(TIME, `created_at is server-managed; ${SUBMIT}`, (value, { created_at }) =>
      sameTime(value, created_at),
    ),
    updated_at: unchanged<Managed>(TIME, `updated_at is server-managed; ${SUBMIT}`, (value, { updated_at }) =>
      sameTime(value, updated_at),
    ),
    deleted_at: unchanged<Managed>(
      nullableSchema(TIME),
      `deleted_at is set by DELETE ${path}: use DELETE to soft-delete; ${SUBMIT}`,
      (value, { deleted_at }) => sameTime(value, deleted_at),
    ),
  } satisfies Record<string, ReadOnly<Managed>>;
}

/** Equal for equal sets of tags; null for anything but a list of tags. */
function tagsInBrief(value: Json): string | null {
  if (!isArray(value)) {
    return null;
  }
  const tags: { id: number; text: string }[] = [];
  for (const item of value) {
    const tag = isJsonObject(item) ? tagInBrief(item) : null;
    if (tag === null) {
      return null;
    }
    tags.push(tag);
  }
  return tags
    .sort((a, b) => a.id - b.id)
    .map(({ text }) => text)
    .join();
}

function tagInBrief(tag: JsonObject): { id: number; text: string } | null {
  const { id, tag_type, value } = tag;
  const isTag = typeof id === 'number' && typeof tag_type === 'string' && typeof value === 'string';
  return isTag && Object.keys(tag).length === 3 ? { id, text: JSON.stringify([id, tag_type, value]) } : null;
}
