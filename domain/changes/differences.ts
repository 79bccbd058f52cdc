import type { Fields } from './entry.ts';

/** Fields whose values differ, before and after; null if none does. Values are compared by identity. */
export function differences<Row extends Fields>(
  before: Row,
  after: Row,
): { before: Fields; after: Fields } | null {
  const names = Object.keys(after).filter((name) => before[name] !== after[name]);
  const pick = (row: Row): Fields => Object.fromEntries(names.map((name) => [name, row[name]]));
  return names.length === 0 ? null : { before: pick(before), after: pick(after) };
}
