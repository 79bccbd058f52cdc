import { type FragmentSqlToken, sql } from './sql.ts';

/**
 * False for an organization that is arriving from another cell: its own row is made last, and until then no process changes
 * what is here of it already (docs/design/cells.md).
 */
export function isHere(orgId: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`exists (select from organizations here where here.id = ${orgId})`;
}
