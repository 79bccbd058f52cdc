import { type JsonSchema, KEY_SCHEMA } from '../../../base/checks/fields.ts';
import { ID_SCHEMA } from '../../../base/checks/id-field.ts';
import { nullableSchema } from '../../../base/checks/members-schema.ts';
import { TIME_SCHEMA } from '../../../base/checks/time-field.ts';
import { behindDescription } from '../../../domain/master-data/column-members.ts';
import type { COMMON_COLUMNS, Column, Columns } from '../../../domain/master-data/columns.ts';
import type { Managed } from '../../../domain/master-data/rows.ts';
import { TAG } from '../../../domain/master-data/tags/tag-schema.ts';

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
    column.type === 'text' ? { type: 'string', minLength: 1, maxLength: column.most } : SHOWN[column.type];
  return column.otherwise === null ? nullableSchema(schema) : schema;
}

const SHOWN = {
  flag: { type: 'boolean' },
  time: TIME_SCHEMA,
  json: { type: 'object', additionalProperties: true },
};
