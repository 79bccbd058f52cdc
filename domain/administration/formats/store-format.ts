import { AppError } from '../../../base/errors.ts';
import { JsonText } from '../../../base/json/json-text.ts';
import type { Database } from '../../../db/timescale/connections/database.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { Actor } from '../../changes/actor.ts';
import { type Change, changed, makeChange, unchanged } from '../../changes/make-change.ts';
import type { Format } from '../../formats/mapping/format.ts';
import { NO_FORMAT } from '../../formats/no-format.ts';
import type { CheckedFormat } from '../../formats/read-source.ts';
import { LIVE_READERS } from '../live-readers.ts';
import { lockRegistrations } from '../lock-registrations.ts';

export interface StoredFormat {
  result: 'added' | 'replaced' | 'unchanged';
  readers: number;
}

/**
 * Stores a custom format, replacing the one of that name. Running ingest processes pick it up at once: a trigger
 * announces changes of the table.
 *
 * @param owner the organization that owns it, and may replace only its own; null for the installation, which may
 * replace any.
 * @throws AppError `conflict` (a built-in format has the name, or another's; a reader needs an identity this format
 * lacks; the organization has too many, or too long ones), `invalid_input` (too long, or text the database does not
 * accept).
 */
export function storeFormat(
  db: Database,
  actor: Actor,
  builtin: ReadonlyMap<string, Format>,
  format: CheckedFormat,
  { owner, isNew = false }: { owner: number | null; isNew?: boolean } = { owner: null },
): Promise<StoredFormat> {
  const { name } = format;
  if (builtin.has(name) || name === NO_FORMAT) {
    throw new AppError(
      'conflict',
      `${name} is built in and cannot be replaced: give the format another "name", and register its readers with that`,
    );
  }
  const source = JSON.stringify(format.definition, refuseUnstorable);
  if (Buffer.byteLength(source) > MOST_BYTES) {
    throw new AppError(
      'invalid_input',
      `The format has ${Buffer.byteLength(source)} bytes without blanks; at most ${MOST_BYTES} are allowed`,
    );
  }
  return makeChange(db, actor, async (change) => {
    await lockRegistrations(change);
    // First, so that the answer tells nothing about another organization's format but that the name is taken.
    const before = await lockStored(change, name);
    if (before !== null && (isNew || (owner !== null && before.org_id !== owner))) {
      throw new AppError('conflict', `The name ${name} is taken; give the format another "name"`);
    }
    const readers = await liveReaders(change, name);
    refuseMissingIdentity(format, readers);
    const stored = before?.source ?? null;
    if (stored === source) {
      return unchanged<StoredFormat>({ result: 'unchanged', readers: readers.length });
    }
    if (owner !== null) {
      await refuseTooMuch(change, owner, { name, source });
    }
    await upsert(change, { name, source, owner });
    return changed<StoredFormat>(
      { result: stored === null ? 'added' : 'replaced', readers: readers.length },
      [
        {
          orgId: before === null ? owner : before.org_id,
          action: stored === null ? 'create' : 'update',
          resource: { type: 'format', id: name },
          before: stored === null ? null : { definition: new JsonText(stored) },
          after: { definition: new JsonText(source) },
        },
      ],
    );
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

/** Otherwise every later read of that reader would be rejected. */
function refuseMissingIdentity({ name, identities }: CheckedFormat, readers: readonly Reader[]): void {
  const unidentified = readers.find(
    ({ identity_policy: identity }) => identity !== null && !identities.some((one) => one === identity),
  );
  if (unidentified !== undefined) {
    const { id, name: reader, org_id: orgId, identity_policy: identity } = unidentified;
    throw new AppError(
      'conflict',
      `Reader ${id} (${reader}) of organization ${orgId} uses ${name} with the identity ${identity}, for which this ` +
        `has no value: add a candidate with "identity": "${identity}", or set the reader differently first`,
    );
  }
}

/** Bytes of a format, as JSON without blanks. The longest built-in one has 3,400. */
const MOST_BYTES = 32_768;

/** Per organization: ingestion keeps formats in use in memory, up to 300 KB each. */
const MOST_OWN = 50;
const MOST_OWN_BYTES = 262_144;

async function refuseTooMuch(
  change: Change,
  owner: number,
  { name, source }: { name: string; source: string },
): Promise<void> {
  const others = await change.one(sql.type(rowsOf<{ count: number; bytes: number }>())`
    select count(*), coalesce(sum(octet_length(source::text)), 0)::integer as bytes
    from formats where org_id = ${owner} and name <> ${name}`);
  if (others.count >= MOST_OWN) {
    throw new AppError(
      'conflict',
      `The organization has ${MOST_OWN} formats of its own already; delete one that no reader uses`,
    );
  }
  const bytes = others.bytes + Buffer.byteLength(source);
  if (bytes > MOST_OWN_BYTES) {
    throw new AppError(
      'conflict',
      `The organization's formats would have ${bytes} bytes together; at most ${MOST_OWN_BYTES} are allowed: ` +
        'delete one that no reader uses',
    );
  }
}

function lockStored(change: Change, name: string): Promise<{ source: string; org_id: number | null } | null> {
  return change.maybeOne(sql.type(rowsOf<{ source: string; org_id: number | null }>())`
    select source::text, org_id from formats where name = ${name} for update`);
}

async function upsert(
  change: Change,
  { name, source, owner }: { name: string; source: string; owner: number | null },
): Promise<void> {
  await change.exec(sql.type(NO_ROWS)`
    insert into formats (name, source, definition, org_id)
    values (${name}, ${source}::text::json, ${source}::text::jsonb, ${owner})
    on conflict (name) do update set source = excluded.source, definition = excluded.definition`);
}

/** jsonb refuses U+0000 and lone surrogates. */
function refuseUnstorable(_key: string, value: unknown): unknown {
  if (typeof value === 'string' && (value.includes('\0') || !value.isWellFormed())) {
    throw new AppError(
      'invalid_input',
      'A format may hold neither the character U+0000 nor half a surrogate pair',
    );
  }
  return value;
}

/**
 * Deletes a format of an organization's own.
 *
 * @throws AppError `not_found`, `conflict` (a reader uses it).
 */
export async function deleteFormat(db: Database, actor: Actor, orgId: number, name: string): Promise<void> {
  await makeChange(db, actor, async (change) => {
    await lockRegistrations(change);
    const stored = await change.maybeOne(sql.type(rowsOf<{ source: string }>())`
      select source::text from formats where name = ${name} and org_id = ${orgId} for update`);
    if (stored === null) {
      throw new AppError('not_found', 'Format not found');
    }
    const readers = await change.any(sql.type(rowsOf<{ name: string }>())`
      select reader.name from ${LIVE_READERS} where reader.format = ${name} order by reader.name limit 5`);
    if (readers.length > 0) {
      const names = readers.map((reader) => reader.name).join(', ');
      throw new AppError('conflict', `Readers use it (${names}); give them another format first`);
    }
    await change.exec(sql.type(NO_ROWS)`delete from formats where name = ${name} and org_id = ${orgId}`);
    return changed(undefined, [
      {
        ...{ orgId, action: 'delete', resource: { type: 'format', id: name } },
        ...{ before: { definition: new JsonText(stored.source) }, after: null },
      },
    ]);
  });
}
