import { AppError } from '../../../base/errors.ts';
import type { Client, Pool } from '../../../db/timescale/connections/client.ts';
import { inTransaction } from '../../../db/timescale/connections/transaction.ts';
import type { Format } from '../../formats/mapping/format.ts';
import { lockRegistrations } from '../readers/registration.ts';

export interface StoredFormat {
  result: 'added' | 'replaced' | 'unchanged';
  /** Live readers of it; they are read by it from now on. */
  readers: number;
}

/**
 * Stores a user's own format under its name, in the place of an earlier one. Every running ingestion follows at once,
 * since the table announces its changes.
 *
 * @throws AppError `conflict` (the name is a built-in one's; a reader needs an identity that this one lacks),
 *   `invalid_input` (text the database does not take).
 */
export function storeFormat(
  pool: Pool,
  builtin: ReadonlyMap<string, Format>,
  format: Format,
): Promise<StoredFormat> {
  const { name } = format;
  if (builtin.has(name)) {
    throw new AppError(
      'conflict',
      `${name} is built in and cannot be replaced: give the format another "name", and register its readers with that`,
    );
  }
  const source = JSON.stringify(format.definition, refuseUnstorable);
  return inTransaction(pool, async (client) => {
    await lockRegistrations(client);
    const readers = await liveReaders(client, name);
    refuseMissingIdentity(format, readers);
    return { result: await upsert(client, name, source), readers: readers.length };
  });
}

interface Reader {
  id: number;
  name: string;
  orgId: number;
  identity: string | null;
}

async function liveReaders(client: Client, format: string): Promise<Reader[]> {
  const { rows } = await client.query<Reader>(
    `select reader.id, reader.name, reader.org_id as "orgId", reader.identity_policy as identity
     from readers reader join organizations organization on organization.id = reader.org_id
     where reader.format = $1 and reader.deleted_at is null and organization.deleted_at is null
     order by reader.id`,
    [format],
  );
  return rows;
}

/** Else every read of that reader would be rejected from now on. */
function refuseMissingIdentity({ name, identities }: Format, readers: readonly Reader[]): void {
  const bereft = readers.find(
    ({ identity }) => identity !== null && !identities.some((one) => one === identity),
  );
  if (bereft !== undefined) {
    const { id, name: reader, orgId, identity } = bereft;
    throw new AppError(
      'conflict',
      `Reader ${id} (${reader}) of organization ${orgId} uses ${name} with the identity ${identity}, for which this ` +
        `has no value: add a candidate with "identity": "${identity}", or set the reader differently first`,
    );
  }
}

async function upsert(client: Client, name: string, source: string): Promise<StoredFormat['result']> {
  const { rows } = await client.query<{ same: boolean }>(
    'select source::text = $2 as same from formats where name = $1 for update',
    [name, source],
  );
  const [stored] = rows;
  if (stored?.same === true) {
    return 'unchanged';
  }
  await client.query(
    `insert into formats (name, source, definition) values ($1, $2::text::json, $2::text::jsonb)
     on conflict (name) do update set source = excluded.source, definition = excluded.definition`,
    [name, source],
  );
  return stored === undefined ? 'added' : 'replaced';
}

/** What PostgreSQL's jsonb does not take. */
function refuseUnstorable(_key: string, value: unknown): unknown {
  if (typeof value === 'string' && (value.includes('\0') || !value.isWellFormed())) {
    throw new AppError(
      'invalid_input',
      'A format may hold neither the character U+0000 nor half a surrogate pair',
    );
  }
  return value;
}
