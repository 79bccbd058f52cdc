import type { Columns } from '../../domain/master-data/columns.ts';

/** What columns are of a row that says nothing of them; those that it must say are left to the caller. */
export function unsaid(columns: Columns): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(columns).map(([name, { type, otherwise }]) => [
      name,
      type === 'json' ? JSON.parse(String(otherwise)) : otherwise,
    ]),
  );
}
