import type { TestDatabase } from './database.ts';

/** Stores a format as `format add` would, but whatever it is: another version may have taken it. */
export async function storeAnyFormat(
  database: TestDatabase,
  name: string,
  definition: object,
): Promise<void> {
  await database.rows(
    'insert into formats (name, definition, source) values ($1, $2::text::jsonb, $2::text::json)',
    [name, JSON.stringify(definition)],
  );
}
