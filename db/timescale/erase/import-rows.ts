import pg from 'pg';
import { append } from '../../../base/append.ts';
import { AppError } from '../../../base/errors.ts';
import { Client } from '../connections/client.ts';
import { connectionConfig } from '../connections/connection.ts';
import { endConnections } from '../copy/end-connections.ts';
import { SEQUENCES } from '../copy/tables.ts';
import { exportedColumns, SECRET_COLUMNS } from './export-rows.ts';
import { isOf, type OrganizationTable, organizationTables } from './organization-tables.ts';

/** An exported table, some lines of JSON at a time. */
export type ReadLines = (table: string) => AsyncIterable<readonly string[]>;

export interface Import {
  /** The organization that was exported, and the one it becomes. */
  from: number;
  to: number;
  exportedAt: string;
}

export interface ImportedTable {
  name: string;
  rows: number;
  /** Rows of people who are not imported. */
  leftOut: number;
}

/**
 * Exported but not imported: tables that consist of secrets, which the export leaves out, or describe a broker of the
 * other installation.
 */
export const NOT_IMPORTED: readonly string[] = [
  ...['mqtt_consumers', 'user_links', 'webhook_secrets'],
  ...['cell_moves', 'mqtt_feeds', 'mqtt_outdated', 'mqtt_topics', 'publishing_faults'],
];

/** Derived from other tables, by triggers or later. */
const DERIVED: readonly string[] = ['live_row_counts', 'reader_joined_spans', 'silence_revisions'];

/** Tables whose rows name people, by `user_id`. */
const OF_PEOPLE: readonly string[] = ['memberships', 'alert_mail_recipients'];

/** Runs an import in one transaction on a connection of its own, without a time limit; a dry run is taken back. */
export async function inImport<Result>(
  url: string,
  isDryRun: boolean,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client(connectionConfig(url, 'tagtrail org import'));
  await client.connect();
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query(isDryRun ? 'rollback' : 'commit');
    if (!isDryRun) {
      // Plans for tables without statistics are bad ones.
      await client.query('analyze');
    }
    return result;
  } finally {
    await client.end();
  }
}

export async function filledTables(client: pg.ClientBase, orgId: number): Promise<string[]> {
  const filled: string[] = [];
  for (const table of await organizationTables(client)) {
    const { rowCount } = await client.query(
      `select from ${table.identifier} where ${isOf(table, '$1')} limit 1`,
      [orgId],
    );
    append(filled, rowCount === 0 ? [] : [table.name]);
  }
  return filled;
}

/** The tables that an import writes. */
export async function importedTables(client: pg.ClientBase): Promise<OrganizationTable[]> {
  const tables = await organizationTables(client);
  const rank = ({ name }: OrganizationTable) => (name.startsWith('unsealed_') ? 1 : 0);
  return (
    tables
      .filter(({ name }) => ![...NOT_IMPORTED, ...DERIVED].includes(name))
      // Last: nobody's events are sealed while rows of it are not committed.
      .sort((one, other) => rank(one) - rank(other))
  );
}

/** Inside the caller's transaction, so that either all rows come or none. The organization's own row is there already. */
export async function importRows(
  client: pg.ClientBase,
  tables: readonly OrganizationTable[],
  { from, to, exportedAt }: Import,
  read: ReadLines,
  onProgress: (table: string, rows: number) => void,
): Promise<ImportedTable[]> {
  // Rows bring the effects of triggers along.
  await client.query(
    `select set_config('tagtrail.copying', 'on', true), set_config('tagtrail.keeps_marks', 'on', true)`,
  );
  const imported: ImportedTable[] = [];
  for (const table of tables) {
    imported.push(await importTable(client, table, { from, to }, read(table.name), onProgress));
  }
  await raiseSequences(client, tables);
  await takeUp(client, to, exportedAt);
  return imported;
}

async function importTable(
  client: pg.ClientBase,
  table: OrganizationTable,
  { from, to }: Pick<Import, 'from' | 'to'>,
  lines: AsyncIterable<readonly string[]>,
  onProgress: (table: string, rows: number) => void,
): Promise<ImportedTable> {
  const { name, identifier } = table;
  const columns = await exportedColumns(client, table);
  const secrets = SECRET_COLUMNS.filter((column) => column.startsWith(`${name}.`)).map((column) =>
    pg.escapeIdentifier(column.slice(name.length + 1)),
  );
  const own = columns.map((column) =>
    table.columns.includes(column)
      ? `case when ${column} = $2::integer then $3::integer end as ${column}`
      : column,
  );
  const isKnown = OF_PEOPLE.includes(name) ? 'user_id in (select id from users)' : 'true';
  const sums = `count(*)::float8 as rows, coalesce(sum(hashtextextended(row_to_json(kept)::text, 0)), 0) as checksum`;
  const take = `with given as materialized (
      select ${own.join(', ')} from json_populate_recordset(null::${identifier}, $1::json)
    ), known as materialized (select * from given where ${isKnown}),
    written as (
      insert into ${identifier} (${[...columns, ...secrets].join(', ')}) overriding system value
      select ${[...columns, ...secrets.map(() => NOBODYS_SECRET)].join(', ')} from known
    )
    select ${sums}, (select count(*) from given)::float8 as given from known kept`;
  const there = `select ${sums} from (select ${columns.join(', ')} from ${identifier} where ${isOf(table, '$1')}) kept`;
  const before = await sumsOf(client, there, [to]);
  const wanted = { rows: before.rows, checksum: BigInt(before.checksum), given: 0 };
  for await (const rows of lines) {
    requireColumns(name, rows, columns);
    const taken = await sumsOf(client, take, [`[${rows.join(',')}]`, from, to]);
    wanted.rows += taken.rows;
    wanted.given += taken.given ?? 0;
    wanted.checksum += BigInt(taken.checksum);
    onProgress(name, wanted.given);
  }
  const found = await sumsOf(client, there, [to]);
  if (found.rows !== wanted.rows || BigInt(found.checksum) !== wanted.checksum) {
    throw new AppError(
      'conflict',
      `${name} has ${found.rows} rows (${found.checksum}) after the import, and should have ${wanted.rows} (${wanted.checksum}); nothing was imported`,
    );
  }
  const rows = wanted.rows - before.rows;
  return { name, rows, leftOut: wanted.given - rows };
}

/** A digest of an unknown secret. */
const NOBODYS_SECRET = `sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))`;

interface Sums {
  rows: number;
  checksum: string;
  given?: number;
}

async function sumsOf(client: pg.ClientBase, query: string, values: unknown[]): Promise<Sums> {
  const { rows } = await client.query<Sums>(query, values);
  return rows[0] ?? { rows: 0, checksum: '0' };
}

/** Rows of one table have the same fields, as one statement wrote them. */
function requireColumns(name: string, [line]: readonly string[], columns: readonly string[]): void {
  const fields = Object.keys(JSON.parse(line ?? '{}')).map((field) => pg.escapeIdentifier(field));
  if (fields.toSorted().join() !== columns.toSorted().join()) {
    throw new AppError(
      'invalid_input',
      `${name}.jsonl has fields ${fields.join(', ')}, and should have ${columns.join(', ')}`,
    );
  }
}

/** Tables derived from rows that are there now. */
async function takeUp(client: pg.ClientBase, orgId: number, exportedAt: string): Promise<void> {
  // Secrets of the exported organization do not work in this one.
  await client.query('update api_keys set revoked_at = coalesce(revoked_at, now()) where org_id = $1', [
    orgId,
  ]);
  await client.query('update handhelds set revoked_at = coalesce(revoked_at, now()) where org_id = $1', [
    orgId,
  ]);
  await client.query(`update webhooks set state = 'off', state_reason = null where org_id = $1`, [orgId]);
  await endConnections(client, orgId);
  // Alerts and silences go on from where the export was.
  await client.query(
    `select revise_alerts($1, 'organization', null, $2::timestamptz - interval '1 minute')`,
    [orgId, exportedAt],
  );
  await client.query(
    `select revise_silences(org_id, id, $2::timestamptz - interval '1 minute') from readers
     where org_id = $1 and deleted_at is null`,
    [orgId, exportedAt],
  );
  await client.query(`select pg_notify('access_changed', ''), pg_notify('registry_changed', '')`);
}

/** Ids that are unique in an installation and taken already, such as a reader's: a few of each, to be named. */
export async function findTaken(
  client: pg.ClientBase,
  tables: readonly OrganizationTable[],
  read: ReadLines,
): Promise<string[]> {
  const taken: string[] = [];
  for (const table of tables) {
    for (const names of await uniqueInInstallation(client, table)) {
      for await (const rows of read(table.name)) {
        const found = await client.query<{ name: string }>(
          `select json_build_array(${names.join(', ')})::text as name
           from json_populate_recordset(null::${table.identifier}, $1::json)
           intersect
           select json_build_array(${names.join(', ')})::text from ${table.identifier} limit 3`,
          [`[${rows.join(',')}]`],
        );
        append(
          taken,
          found.rows.map(({ name }) => `${table.name}: ${names.join(', ')} ${name.slice(1, -1)}`),
        );
        if (taken.length > MANY_TAKEN) {
          return taken;
        }
      }
    }
  }
  return taken;
}

const MANY_TAKEN = 10;

/** The columns of each key of a table that does not begin with the organization. */
async function uniqueInInstallation(client: pg.ClientBase, table: OrganizationTable): Promise<string[][]> {
  const { rows } = await client.query<{ columns: string[] }>(
    `select array(
       select quote_ident(attname) from unnest(indkey::smallint[]) as key
       join pg_attribute on attrelid = indrelid and attnum = key
     ) as columns
     from pg_index where indrelid = $1::regclass and indisunique and indpred is null and indexprs is null`,
    [table.identifier],
  );
  const owners = table.columns.map((column) => column.replaceAll('"', ''));
  return rows
    .map(({ columns }) => columns)
    .filter((columns) => !columns.some((each) => owners.includes(each)));
}

/** Past the ids that came, so that none is drawn again; unless cells draw from different ranges. */
export async function raiseSequences(
  client: pg.ClientBase,
  tables: readonly Pick<OrganizationTable, 'identifier'>[],
): Promise<void> {
  for (const { identifier } of tables) {
    const { rows } = await client.query<{ sequences: { column: string; sequence: string }[] }>(
      `select ${SEQUENCES} from pg_class relation where relation.oid = $1::regclass`,
      [identifier],
    );
    for (const { column, sequence } of rows[0]?.sequences ?? []) {
      await client.query(
        `select setval(seqrelid, greatest(pg_sequence_last_value(seqrelid), most)) from pg_sequence
         cross join (select max(${pg.escapeIdentifier(column)})::bigint as most from ${identifier}) highest
         where seqrelid = $1::regclass and most between seqmin and seqmax`,
        [sequence],
      );
    }
  }
}

export interface ImportedPeople {
  /** Created without a password. */
  created: string[];
  /** Here already: with the same id, address and time of creation. */
  found: string[];
  /** Their address has its own account here, which may not be theirs. */
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
