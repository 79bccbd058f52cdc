import { AppError } from '../../../base/errors.ts';
import type { Client } from '../../../db/timescale/connections/client.ts';
import { instantOf } from '../../../db/timescale/erase/export-rows.ts';
import {
  filledTables,
  findTaken,
  type ImportedPeople,
  type ImportedTable,
  importedTables,
  importPeople,
  importRows,
  inImport,
  type ReadLines,
  raiseSequences,
} from '../../../db/timescale/erase/import-rows.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { Actor } from '../../changes/actor.ts';
import { logChanges } from '../../changes/make-change.ts';
import { loadBuiltinFormats } from '../../formats/mapping/builtin.ts';
import { NO_FORMAT } from '../../formats/no-format.ts';
import { loadFormats } from '../formats/load-formats.ts';
import { LIVE_READERS } from '../live-readers.ts';
import { lockRegistrations } from '../lock-registrations.ts';
import { requireLiveOrganization } from '../organizations/live-organization.ts';
import { fixedBeginnings, topicsOverlap } from '../readers/topic.ts';

/** The description that `exportOrganization` wrote. */
export interface Exported {
  orgId: number;
  exportedAt: string;
  migration: string;
  read: ReadLines;
}

export interface ImportOptions {
  /** An empty organization to import into; null for the exported one, which must not be there. */
  into: number | null;
  /** Does everything, and takes it back. */
  isDryRun: boolean;
  signal: AbortSignal;
  onProgress(table: string, rows: number): void;
}

export interface ImportedOrganization {
  orgId: number;
  name: string;
  tables: ImportedTable[];
  people: ImportedPeople;
}

/**
 * Imports an exported organization with its ids in one transaction; if interrupted, it leaves nothing. Each table is
 * compared with the file before the commit.
 *
 * @param url of the tables' owner, who may raise sequences.
 * @throws AppError `conflict` if any of it exists already, or the export is of another version.
 */
export async function importOrganization(
  url: string,
  actor: Actor,
  exported: Exported,
  { into, isDryRun, signal, onProgress }: ImportOptions,
): Promise<ImportedOrganization> {
  const read: ReadLines = async function* (table) {
    for await (const lines of exported.read(table)) {
      signal.throwIfAborted();
      yield lines;
    }
  };
  return inImport(url, isDryRun, async (client) => {
    await requireVersion(client, exported.migration);
    const tables = await importedTables(client);
    const { id: orgId, name } = await openOrganization(client, { ...exported, read }, into);
    await lockRegistrations(client);
    await refuseTaken(client, tables, read);
    const people = await importPeople(client, read('users'));
    const rows = await importRows(
      client,
      tables,
      { from: exported.orgId, to: orgId, exportedAt: exported.exportedAt },
      read,
      onProgress,
    );
    await requireFormats(client, orgId);
    await refuseTopics(client, orgId);
    await raiseSequences(client, [{ identifier: 'organizations' }, { identifier: 'users' }]);
    await logChanges(client, actor, [
      {
        orgId,
        action: 'import',
        resource: { type: 'organization', id: orgId },
        before: null,
        after: { exported_id: exported.orgId, exported_at: exported.exportedAt },
      },
    ]);
    signal.throwIfAborted();
    return { orgId, name, tables: rows, people };
  });
}

async function requireVersion(client: Client, migration: string): Promise<void> {
  const here = await instantOf(client);
  if (here.migration !== migration) {
    throw new AppError(
      'conflict',
      `The export is of a version with migration ${migration}, and this installation has ${here.migration}: import it into an installation of that version, upgrade that, and export it again`,
    );
  }
}

/** @returns the organization that the rows will belong to. */
async function openOrganization(
  client: Client,
  { orgId, read }: Exported,
  into: number | null,
): Promise<{ id: number; name: string }> {
  if (into !== null) {
    await requireLiveOrganization(client, into);
    await requireEmpty(client, into);
    return client.one(sql.type(rowsOf<{ id: number; name: string }>())`
      select id, name from organizations where id = ${into} for update`);
  }
  const there = await client.maybeOne(sql.type(rowsOf<{ name: string; is_deleted: boolean }>())`
    select name, deleted_at is not null as is_deleted from organizations where id = ${orgId}`);
  if (there !== null) {
    throw new AppError(
      'conflict',
      `Organization ${orgId} exists here (${there.name}${there.is_deleted ? ', deleted' : ''}); erase it first, or give an empty organization: --org`,
    );
  }
  for await (const [row] of read('organizations')) {
    return client.one(sql.type(rowsOf<{ id: number; name: string }>())`
      insert into organizations (id, name, created_at) overriding system value
      select id, name, created_at from json_populate_record(null::organizations, ${row ?? ''}::json)
      returning id, name`);
  }
  throw new AppError('invalid_input', 'organizations.jsonl is empty');
}

async function requireEmpty(client: Client, orgId: number): Promise<void> {
  // Its change log says that it was created.
  const filled = (await filledTables(client, orgId)).filter((name) => name !== 'changes');
  if (filled.length > 0) {
    throw new AppError(
      'conflict',
      `Organization ${orgId} is not empty (${filled.join(', ')}); give --org one that was just created`,
    );
  }
}

async function refuseTaken(
  client: Client,
  tables: Parameters<typeof findTaken>[1],
  read: ReadLines,
): Promise<void> {
  const taken = await findTaken(client, tables, read);
  if (taken.length > 0) {
    throw new AppError(
      'conflict',
      `Ids and names of the export are taken here (${taken.join('; ')}); import into an installation in which they are free`,
    );
  }
}

/** Formats of the installation are in no organization's export. */
async function requireFormats(db: Connection, orgId: number): Promise<void> {
  const formats = await loadFormats(db, loadBuiltinFormats(), orgId);
  const rows = await db.any(sql.type(rowsOf<{ format: string }>())`
    select distinct format from readers where org_id = ${orgId} and deleted_at is null order by format`);
  const missing = rows
    .map(({ format }) => format)
    .filter((name) => name !== NO_FORMAT && formats.get(name) === undefined);
  if (missing.length > 0) {
    throw new AppError(
      'conflict',
      `Readers use formats that do not exist here: ${missing.join(', ')}; add them first: format add`,
    );
  }
}

async function refuseTopics(db: Connection, orgId: number): Promise<void> {
  const rows = await db.any(sql.type(rowsOf<ReaderWithTopic>())`
    select reader.org_id, reader.id, reader.topic from ${LIVE_READERS}`);
  const own = rows.filter((reader) => reader.org_id === orgId);
  const others = rows.filter((reader) => reader.org_id !== orgId);
  const [reader, other] = overlapping(own, others) ?? overlapping(others, own)?.toReversed() ?? [];
  if (reader !== undefined && other !== undefined) {
    throw new AppError(
      'conflict',
      `Topic ${reader.topic} of reader ${reader.id} overlaps with ${other.topic} of reader ${other.id} of organization ${other.org_id}; change that first: reader set`,
    );
  }
}

interface ReaderWithTopic {
  org_id: number;
  id: number;
  topic: string;
}

/** A reader, and the other whose topic it overlaps and begins like, without comparing each with each. */
function overlapping(
  readers: readonly ReaderWithTopic[],
  others: readonly ReaderWithTopic[],
): [ReaderWithTopic, ReaderWithTopic] | null {
  const othersByFixed = Map.groupBy(others, ({ topic }) => fixedBeginnings(topic).at(-1));
  for (const reader of readers) {
    for (const fixed of fixedBeginnings(reader.topic)) {
      const other = othersByFixed.get(fixed)?.find(({ topic }) => topicsOverlap(topic, reader.topic));
      if (other !== undefined) {
        return [reader, other];
      }
    }
  }
  return null;
}
