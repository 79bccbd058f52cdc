import type pg from 'pg';

/** Bytes of rows fetched at a time, if none is longer than those before. */
const CHARACTERS = 8 * 1_024 * 1_024;
const ROWS = 500;

/**
 * The rows of a query as JSON, some at a time, at first one: a floor plan has 10 MB, and hundreds would exceed the
 * longest string. In a transaction, one query after the other.
 *
 * @param query without parameters: a cursor takes none by the simple protocol.
 */
export async function* rowsAsJson(
  client: pg.ClientBase,
  query: string,
  { characters = CHARACTERS, most = ROWS } = {},
): AsyncGenerator<string[]> {
  await client.query(
    `declare fetched no scroll cursor for select row_to_json(kept)::text as row from (${query}) kept`,
  );
  let count = 1;
  let longest = 1;
  for (;;) {
    const { rows } = await client.query<{ row: string }>(`fetch ${count} from fetched`);
    if (rows.length === 0) {
      break;
    }
    yield rows.map(({ row }) => row);
    longest = rows.reduce((length, { row }) => Math.max(length, row.length), longest);
    count = Math.max(1, Math.min(most, 2 * count, Math.floor(characters / longest)));
  }
  await client.query('close fetched');
}
