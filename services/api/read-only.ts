import { isArray, isJsonObject, type Json } from '../shared/http/exact-json.ts';
import { ID_SCHEMA, type JsonSchema, KEY_SCHEMA } from '../shared/http/fields.ts';
import { nullableSchema, type ReadOnly, unchanged } from '../shared/http/members.ts';
import { sameScalar, sameTime } from '../shared/http/same.ts';
import type { TagRow } from './tags/view.ts';

/** What assets and locations have that a PATCH cannot change. */
interface Managed {
  id: number;
  external_key: string;
  tags: string;
  created_at: string;
  updated_at: string;
  deleted_at: string | null;
}

const TIME: JsonSchema = { type: 'string', format: 'date-time' };
const SUBMIT = 'submit the current value or omit';

/** The read-only members of a PATCH (interface section 4.7). */
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
      (value, { tags }) => sameTags(value, JSON.parse(tags)),
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

/** The same tags, in any order. */
function sameTags(value: Json, tags: readonly TagRow[]): boolean {
  if (!isArray(value) || value.length !== tags.length) {
    return false;
  }
  const left = new Map(tags.map((tag) => [tag.id, tag]));
  return value.every((item) => {
    const id = isJsonObject(item) ? item['id'] : undefined;
    const tag = typeof id === 'number' ? left.get(id) : undefined;
    return tag !== undefined && isTag(item, tag) && left.delete(tag.id);
  });
}

function isTag(item: Json, tag: TagRow): boolean {
  return (
    isJsonObject(item) &&
    Object.keys(item).length === 3 &&
    item['tag_type'] === tag.tag_type &&
    item['value'] === tag.value
  );
}
