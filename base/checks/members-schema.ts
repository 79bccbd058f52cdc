import type { JsonSchema } from './fields.ts';
import type { Member, Members } from './members.ts';

export interface SchemaNotes {
  title?: string;
  description?: string;
  /** Schema of the resource it becomes, whose members are explained by the same names. */
  like?: JsonSchema;
  example?: Readonly<Record<string, unknown>>;
}

export function membersSchema(members: Members<never>, notes: SchemaNotes = {}): JsonSchema {
  const { title, description, like, example } = notes;
  const explained = (like?.['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>;
  const required: string[] = [];
  const properties: Record<string, JsonSchema> = {};
  for (const [key, member] of Object.entries(members)) {
    const schema = memberSchema(member);
    if (schema !== null) {
      const explanation = explained[key]?.['description'];
      properties[key] = explanation === undefined ? schema : { ...schema, description: explanation };
    }
    if (member.kind === 'writable' && member.isRequired) {
      required.push(key);
    }
  }
  return {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    type: 'object',
    properties,
    required,
    additionalProperties: false,
    ...(example === undefined ? {} : { examples: [example] }),
  };
}

function memberSchema(member: Member<never>): JsonSchema | null {
  if (member.kind === 'readOnly') {
    return member.schema === null ? null : { ...member.schema, readOnly: true };
  }
  return member.isNullable ? nullableSchema(member.field.schema) : member.field.schema;
}

export function nullableSchema(schema: JsonSchema): JsonSchema {
  return typeof schema['type'] === 'string'
    ? { ...schema, type: [schema['type'], 'null'] }
    : { anyOf: [schema, { type: 'null' }] };
}
