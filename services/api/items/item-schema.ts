import {
  externalKey,
  ID_SCHEMA,
  type JsonSchema,
  KEY_SCHEMA,
  TIME_SCHEMA,
} from '../../../base/checks/fields.ts';
import { mandatory, nullableSchema, type ReadOnly, unchanged } from '../../../base/checks/members.ts';
import { isArray, isJsonObject, type Json, type JsonObject } from '../../../base/json/exact-json.ts';
import { sameTime } from '../../../base/timestamps.ts';
import type { COMMON_COLUMNS, Column, Columns } from '../../../domain/master-data/columns.ts';
import { behindDescription, FORMS } from '../../../domain/master-data/columns.ts';
import type { Managed } from '../../../domain/master-data/rows.ts';
import { tagValue } from '../../../domain/master-data/tags/new-tag.ts';
import { TAG } from '../../../domain/master-data/tags/stored-tags.ts';
import { TAG_TYPES } from '../../../domain/tracking/tag-type.ts';
import { jsonBody } from '../../../platform/http/body.ts';
import {
  anyOf,
  choiceFilter,
  described,
  idInPath,
  optionalParameter,
} from '../../../platform/http/parameters.ts';

type Common = typeof COMMON_COLUMNS;

const COMMON: Record<keyof Common, string> = {
  name: 'Its name.',
  description: 'More about it, or null.',
  is_active: 'Yours to use. True if you say nothing on create.',
  valid_from: 'From when on it is in effect. The time of creation if you give none.',
  valid_to: 'Until when it is in effect. Null for no end.',
};

interface Own<C extends Common, Where extends string> {
  title: string;
  description: string;
  named: { plural: string; minted: string };
  columns: C;
  told: Record<Exclude<keyof C, keyof Common>, string>;
  where: Record<Where, JsonSchema>;
  example: Record<keyof C | NoInfer<Where> | keyof Managed, unknown>;
}

/** Schema of an asset or a location (contract 2.2 and 2.3). */
export function itemSchema<C extends Common, Where extends string>({
  title,
  description,
  named,
  columns,
  told,
  where,
  example,
}: Own<C, Where>): JsonSchema {
  const sentences: Record<string, string> = { ...COMMON, ...told };
  const shown = Object.entries<Column>(columns).map(([name, column]) => [
    name,
    { ...shownAs(column), description: sentences[name] },
  ]);
  const properties = {
    id: { ...ID_SCHEMA, description: 'Assigned by the service; never changes.' },
    external_key: {
      ...KEY_SCHEMA,
      description: `Your own key, unique among the live ${named.plural} of the organization; case matters. One is made (\`${named.minted}\`) if you give none. Changed by a rename only.`,
    },
    ...behindDescription<Record<keyof C, JsonSchema>, typeof where>(Object.fromEntries(shown), where),
    tags: {
      type: 'array',
      items: TAG,
      description: 'The attached tags, in order of id. Given on create; later by attaching and detaching.',
    },
    created_at: { ...TIME_SCHEMA, description: 'When it was created.' },
    updated_at: { ...TIME_SCHEMA, description: 'When it was changed last; moves with every change.' },
    deleted_at: {
      ...nullableSchema(TIME_SCHEMA),
      description: 'When it was soft-deleted. Null if it is live.',
    },
  };
  return {
    title,
    description,
    type: 'object',
    properties,
    required: Object.keys(properties),
    examples: [example],
  };
}

/** The fields that null clears in a PATCH: "`description` and `valid_to`". */
export function clearedByNull(columns: Columns, ...others: readonly string[]): string {
  const names = Object.keys(columns).filter((name) => columns[name]?.otherwise === null);
  return new Intl.ListFormat('en-GB').format([...names.map((name) => `\`${name}\``), ...others]);
}

function shownAs(column: Column): JsonSchema {
  const schema =
    column.type === 'text'
      ? {
          ...{ type: 'string', minLength: 1, maxLength: column.most },
          ...(column.form === undefined ? {} : { pattern: FORMS[column.form].pattern.source }),
        }
      : SHOWN[column.type];
  return column.otherwise === null ? nullableSchema(schema) : schema;
}

const SHOWN = {
  flag: { type: 'boolean' },
  time: TIME_SCHEMA,
  json: { type: 'object', additionalProperties: true },
};

const METRES: JsonSchema = { type: 'number' };

/** Contract 2.2 and 2.5. */
export const POSITION: JsonSchema = nullableSchema({
  type: 'object',
  properties: {
    plan_location_id: { ...ID_SCHEMA, description: 'The location whose plan it is on.' },
    x: { ...METRES, description: 'Metres from the left edge of the plan.' },
    y: { ...METRES, description: 'Metres from the top edge of the plan.' },
    radius_m: { ...METRES, minimum: 0, description: 'Metres around it: about two in three are within.' },
    observed_at: { ...TIME_SCHEMA, description: 'When it was there.' },
  },
  required: ['plan_location_id', 'x', 'y', 'radius_m', 'observed_at'],
  description:
    'Where on a plan it is, if its location is decided by `position`. Null else, and once it has left the plan.',
});

/** Equal for equal positions; null is none. Anything else equals no position. */
export function positionInBrief(value: Json): string | null {
  if (value === null) {
    return null;
  }
  const { plan_location_id, x, y, radius_m, observed_at, ...others } = isJsonObject(value)
    ? value
    : { others: value };
  return JSON.stringify([plan_location_id, x, y, radius_m, observed_at, Object.keys(others)]);
}

const TIME: JsonSchema = { type: 'string', format: 'date-time' };
const SUBMIT = 'submit the current value or omit';

export function managedMembers(resource: 'assets' | 'locations', tag: JsonSchema) {
  const path = `/api/v1/${resource}/{id}`;
  return {
    id: unchanged<Managed>(ID_SCHEMA, `id is server-assigned; ${SUBMIT}`, (value, { id }) => value === id),
    external_key: unchanged<Managed>(
      KEY_SCHEMA,
      `external_key is changed by POST ${path}/rename; ${SUBMIT}`,
      (value, { external_key }) => value === external_key,
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

const DERIVED = new Set(['readings', 'gs1', 'digital_link', 'epc_uri']);

function tagInBrief(tag: JsonObject): { id: number; text: string } | null {
  const { id, tag_type, value } = tag;
  const isTag = typeof id === 'number' && typeof tag_type === 'string' && typeof value === 'string';
  // What a tag measures changes by itself, and what its value names follows from that.
  const given = Object.keys(tag).filter((name) => !DERIVED.has(name));
  return isTag && given.length === 3 ? { id, text: JSON.stringify([id, tag_type, value]) } : null;
}

export const RENAME_EXAMPLE = { external_key: 'A-17' };

export const renameBody = jsonBody(
  { external_key: mandatory(externalKey) },
  {
    title: 'Rename',
    description: 'Another external key. The one it has already changes nothing.',
    example: RENAME_EXAMPLE,
  },
);

export const ASSET_ID = { asset_id: described(idInPath, 'Id of the asset.', 17) };

export const LOCATION_ID = { location_id: described(idInPath, 'Id of the location.', 4) };

/** Filters of a list by the tags of its rows. */
export function tagFilters(plural: string) {
  return {
    tag_type: described(
      choiceFilter(TAG_TYPES, undefined),
      'The kind of the tag of `tag_value`; any if left out.',
    ),
    tag_value: described(
      anyOf(optionalParameter(tagValue)),
      `${plural} with an attached tag that a read of one of these values would match, in any spelling.`,
      ['E28011600000020912345678'],
    ),
  };
}
