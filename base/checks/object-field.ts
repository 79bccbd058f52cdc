import { isJsonObject, type JsonObject } from '../json/exact-json.ts';
import type { Field } from './fields.ts';
import type { Checked } from './issues.ts';
import type { Members, Values } from './members.ts';
import { membersSchema, type SchemaNotes } from './members-schema.ts';
import { mismatchOf, readMembers } from './read-members.ts';

const INSIDE_ADVICE = 'omit the field, or provide a value';

export function objectField<M extends Members<unknown>, T>(
  members: M,
  check: (values: Values<M>, name: string) => Checked<T>,
  notes: SchemaNotes = {},
): Field<T> {
  return {
    schema: membersSchema(members, notes),
    mismatch: (value, source) => {
      const inside = isJsonObject(value) ? mismatchOf(members, value, source) : '';
      return inside === null || inside === '' ? inside : `.${inside}`;
    },
    read: (value, name, source) => {
      const reading = { nullAdvice: INSIDE_ADVICE, prefix: `${name}.`, source };
      const read = readMembers(members, value as JsonObject, reading);
      return read.ok ? check(read.value, name) : read;
    },
  };
}
