import type pg from 'pg';
import { type Finding, ok, warning } from './finding.ts';

/** Whether searches (`q`) have their index; migrating leaves it out where an extension is missing or may not be made. */
export async function examineSearch(client: pg.Client): Promise<Finding> {
  const { rows } = await client.query<{ is_indexed: boolean }>(
    `select to_regclass('assets__searched_text') is not null as is_indexed`,
  );
  return rows[0]?.is_indexed === true
    ? ok('search', 'Searches use an index')
    : warning(
        'search',
        'Searches (q) read every asset of the organization: the extensions pg_trgm and btree_gin are not there',
        'Install postgresql-contrib, and as a superuser in this database: ' +
          'create extension pg_trgm; create extension btree_gin; select create_search_indexes();',
      );
}
