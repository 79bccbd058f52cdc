import { FORMAT_SCHEMA } from './schema.ts';

/**
 * A definition with its keys in the order in which the language has them, as people write it: the database keeps
 * keys in an order of its own.
 */
export function inOrder(definition: unknown): object {
  return JSON.parse(JSON.stringify(definition, [...keysOf(FORMAT_SCHEMA)]));
}

/** All keys that definitions may have, in the order in which the schema names them. */
function keysOf(schema: unknown): Set<string> {
  const keys = new Set<string>();
  const visit = (node: unknown) => {
    if (typeof node !== 'object' || node === null) {
      return;
    }
    for (const [key, child] of Object.entries(node)) {
      if (key === 'properties') {
        for (const property of Object.keys(child)) {
          keys.add(property);
        }
      }
      visit(child);
    }
  };
  visit(schema);
  return keys;
}
