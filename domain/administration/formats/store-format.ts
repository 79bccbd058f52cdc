import { AppError } from '../../../base/errors.ts';
import type { Database } from '../../../db/timescale/connections/database.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { Actor } from '../../changes/actor.ts';
import { type Change, makeChange } from '../../changes/make-change.ts';
import type { Format } from '../../formats/mapping/format.ts';
import { LIVE_READERS } from '../live-readers.ts';
import { lockRegistrations } from '../lock-registrations.ts';

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
  db: Database,
  actor: Actor,
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
  return makeChange(db, actor, async (change) => {
    await lockRegistrations(change);
    const readers = await liveReaders(change, name);
    refuseMissingIdentity(format, readers);
    return { result: await upsert(change, name, source), readers: readers.length };
  });
}

interface Reader {
  id: number;
  name: string;
  org_id: number;
  identity_policy: string | null;
}

function liveReaders(transaction: Connection, format: string): Promise<readonly Reader[]> {
  return transaction.any(sql.type(rowsOf<Reader>())`
    select reader.id, reader.name, reader.org_id, reader.identity_policy
    from ${LIVE_READERS} where reader.format = ${format} order by reader.id`);
}

/** Else every read of that reader would be rejected from now on. */
function refuseMissingIdentity({ name, identities }: Format, readers: readonly Reader[]): void {
  const bereft = readers.find(
    ({ identity_policy: identity }) => identity !== null && !identities.some((one) => one === identity),
  );
  if (bereft !== undefined) {
    const { id, name: reader, org_id: orgId, identity_policy: identity } = bereft;
    throw new AppError(
      'conflict',
      `Reader ${id} (${reader}) of organization ${orgId} uses ${name} with the identity ${identity}, for which this ` +
        `has no value: add a candidate with "identity": "${identity}", or set the reader differently first`,
    );
  }
}

async function upsert(change: Change, name: string, source: string): Promise<StoredFormat['result']> {
  const stored = await change.maybeOne(sql.type(rowsOf<{ is_same: boolean }>())`
    select source::text = ${source} as is_same from formats where name = ${name} for update`);
  if (stored?.is_same === true) {
    return 'unchanged';
  }
  await change.exec(sql.type(NO_ROWS)`
    insert into formats (name, source, definition)
    values (${name}, ${source}::text::json, ${source}::text::jsonb)
    on conflict (name) do update set source = excluded.source, definition = excluded.definition`);
  return stored === null ? 'added' : 'replaced';
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
