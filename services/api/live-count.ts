import { type FragmentSqlToken, sql } from 'slonik';
import { allOf, when } from './sql.ts';

const TABLES = { asset: sql.fragment`assets`, location: sql.fragment`locations` };

/**
 * How many live rows of an organization there are, in effect or not, as a query of one `total_count`: triggers keep
 * count (migration 0007).
 *
 * It belongs into the statement that reads the page, so that both see the same rows.
 *
 * @param isActive counts only the active rows, or only the others.
 */
export function countLive(
  orgId: number,
  resource: keyof typeof TABLES,
  isActive: boolean | undefined,
): FragmentSqlToken {
  const ofState = when(isActive, (wanted) => sql.fragment`is_active = ${wanted}`);
  const counted = allOf([sql.fragment`org_id = ${orgId} and resource = ${resource}`, ofState]);
  return sql.fragment`select coalesce(sum(row_count), 0)::int8 as total_count from live_row_counts where ${counted}`;
}

/**
 * {@link countLive} less the rows that are not in effect now, which two indexes find. It is exact, and only rows that
 * are not in effect make it slower; the figures are in `test/bench/README.md`.
 */
export function countInEffect(
  orgId: number,
  resource: keyof typeof TABLES,
  isActive: boolean | undefined,
): FragmentSqlToken {
  const table = TABLES[resource];
  const ofState = when(isActive, (wanted) => sql.fragment`is_active = ${wanted}`);
  const live = allOf([sql.fragment`org_id = ${orgId} and deleted_at is null`, ofState]);
  return sql.fragment`select (
      (${countLive(orgId, resource, isActive)})
      - (select count(*) from ${table} where ${live} and valid_from > now())
      - (select count(*) from ${table} where ${live} and valid_from <= now() and valid_to <= now())
    )::int8 as total_count`;
}
