import type { JsonSchema } from '../../base/checks/fields.ts';

/**
 * The schema's own example, or one composed of its parts.
 *
 * @returns undefined if the schema does not suggest a value.
 */
export function exampleOf(schema: JsonSchema): unknown {
  const { examples, const: only, default: initial, properties, items } = schema;
  if (Array.isArray(examples)) {
    return examples[0];
  }
  if (only !== undefined || initial !== undefined) {
    return only ?? initial;
  }
  if (properties !== undefined) {
    const each = Object.entries(properties as Readonly<Record<string, JsonSchema>>);
    return Object.fromEntries(each.map(([name, property]) => [name, exampleOf(property)]));
  }
  return items === undefined ? undefined : [exampleOf(items as JsonSchema)];
}
