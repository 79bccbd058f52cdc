import type pg from 'pg';
import { AppError } from '../../../base/errors.ts';

export interface ImportedPeople {
  /** Created without a password. */
  created: string[];
  /** Here already: with the same id, address and time of creation. */
  found: string[];
  /** Their address has an account of its own here, which need not be theirs. */
  leftOut: string[];
}

/**
 * An account is the same only if its id, address and time of creation agree. Somebody could have taken an address here
 * before the import; such an account must not become a member by it.
 *
 * @throws AppError `conflict` if somebody else has the id: the change log names people by it.
 */
export async function importPeople(
  client: pg.ClientBase,
  lines: AsyncIterable<readonly string[]>,
): Promise<ImportedPeople> {
  const people: ImportedPeople = { created: [], found: [], leftOut: [] };
  for await (const rows of lines) {
    for (const row of rows) {
      people[await importPerson(client, row)].push(String(JSON.parse(row).email));
    }
  }
  return people;
}

async function importPerson(client: pg.ClientBase, row: string): Promise<keyof ImportedPeople> {
  const { rows } = await client.query<{ id: number; is_same: boolean; has_id: boolean }>(
    `select kept.id, kept.id = given.id as has_id,
       (kept.id, kept.email, kept.created_at) = (given.id, given.email, given.created_at) as is_same
     from json_populate_record(null::users, $1::json) given
     join users kept on kept.id = given.id or kept.email = given.email
     order by has_id desc`,
    [row],
  );
  const [kept] = rows;
  if (kept === undefined) {
    await client.query(
      `insert into users (id, email, name, created_at) overriding system value
       select id, email, name, created_at from json_populate_record(null::users, $1::json)`,
      [row],
    );
    return 'created';
  }
  if (kept.has_id && !kept.is_same) {
    throw new AppError(
      'conflict',
      `User ${kept.id} is another person here; import into an installation where the ids are free`,
    );
  }
  return kept.is_same ? 'found' : 'leftOut';
}
