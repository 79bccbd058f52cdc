import type { TestDatabase } from '../../support/database.ts';

/** Everything that a request can change; when a key was last used is not a change. */
const ROWS = {
  assets: 'row::text',
  locations: 'row::text',
  tags: 'row::text',
  external_key_counters: 'row::text',
  positions: 'row::text',
  organizations: 'row::text',
  api_keys: `(to_jsonb(row) - 'last_used_at')::text`,
};

const DIGEST = `select concat_ws(' ', ${Object.entries(ROWS)
  .map(([table, text]) => `(select count(*) || ':' || sum(hashtextextended(${text}, 0)) from ${table} row)`)
  .join(', ')}) as digest`;

/** What the tables hold, in short: equal for equal rows, whatever their order. */
export async function tableDigest(database: TestDatabase): Promise<string> {
  const [row] = await database.rows<{ digest: string }>(DIGEST);
  return row?.digest ?? '';
}
