import { DATABASE_NOW, TOLERATED_SKEW } from '../../db/timescale/queries/database-clock.ts';
import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { SEQUENCE_USE, type SequenceUse } from '../../db/timescale/schema/sequence-use.ts';
import { remedyOfVersion } from '../../db/timescale/schema/server-version.ts';
import { type Finding, fault, ok, warning } from './finding.ts';

const TABLES = ['scan_events', 'location_transitions', 'moves', 'tag_readings'];

interface ServerRow {
  version: string;
  version_number: number;
  fsync: string;
  synchronous_commit: string;
  full_page_writes: string;
  /** Null on servers that were not started here. */
  is_disposable: boolean | null;
  max_connections: number;
  /** Connections reserved for superusers and a few others. */
  reserved: number;
  connections: number;
  is_standby: boolean;
  is_read_only: boolean;
  now_ms: number;
}

/** Checks version, durability, whether it takes changes, connections, and the clock. @param now milliseconds since 1970, of this machine. */
export async function examineServer(db: Connection, now: () => number): Promise<Finding[]> {
  const before = now();
  const server = await db.one(sql.type(rowsOf<ServerRow>())`
    select current_setting('server_version') as version,
      current_setting('server_version_num')::integer as version_number,
      current_setting('fsync') as fsync,
      current_setting('synchronous_commit') as synchronous_commit,
      current_setting('full_page_writes') as full_page_writes,
      current_setting('tagtrail.is_disposable', true) = 'on' as is_disposable,
      current_setting('max_connections')::integer as max_connections,
      current_setting('superuser_reserved_connections')::integer
        + coalesce(current_setting('reserved_connections', true), '0')::integer as reserved,
      ${CONNECTIONS} as connections,
      pg_is_in_recovery() as is_standby, current_setting('transaction_read_only') = 'on' as is_read_only,
      ${DATABASE_NOW} as now_ms`);
  const after = now();
  return [
    version(server),
    durability(server),
    ...changes(server),
    connections(server),
    clock((before + after) / 2 - server.now_ms),
  ];
}

/** The type of others' sessions is shown to superusers and monitors only. */
const CONNECTIONS = sql.fragment`(
  select count(*)::integer from pg_stat_activity
  where coalesce(backend_type = 'client backend', datid is not null and usesysid is not null)
)`;

function version({ version: text, version_number: number }: ServerRow): Finding {
  const remedy = remedyOfVersion(number);
  return remedy === null
    ? ok('database', `PostgreSQL ${text}`)
    : fault('database', `PostgreSQL ${text} is too old`, remedy);
}

function durability({ fsync, full_page_writes, synchronous_commit, ...server }: ServerRow): Finding {
  const isDisposable = server.is_disposable === true && fsync === 'off';
  const durable = isDisposable ? { synchronous_commit } : { fsync, synchronous_commit, full_page_writes };
  const off = Object.entries(durable).flatMap(([name, value]) => (value === 'off' ? [name] : []));
  const good = isDisposable
    ? 'This server is for throw-away data: it was started to be fast, and does not survive a crash'
    : 'Committed data survives a crash';
  return off.length === 0
    ? ok('durability', good)
    : fault(
        'durability',
        `${off.join(', ')} is off: a crash can lose scans that readers were told are safe`,
        `Set ${off.map((name) => `${name} = on`).join(', ')} in postgresql.conf, and reload`,
      );
}

function changes({ is_standby: isStandby, is_read_only: isReadOnly }: ServerRow): Finding[] {
  if (isStandby) {
    return [
      fault(
        'changes',
        'The database is a standby and takes no changes',
        'Let DATABASE_URL lead to the primary',
      ),
    ];
  }
  return isReadOnly
    ? [
        fault(
          'changes',
          'The database takes no changes: default_transaction_read_only is on, for the server, the database or the user',
          'Find out why it was set (hosted servers set it when the disk is full), and reset it',
        ),
      ]
    : [];
}

function connections({ max_connections: max, reserved, connections: used }: ServerRow): Finding {
  const left = Math.max(0, max - reserved - used);
  return left >= CONNECTIONS_WANTED
    ? ok('connections', `${used} of ${max} in use`)
    : warning(
        'connections',
        `${used} of ${max} in use, ${left} left to processes`,
        'Raise max_connections; deploy/grow.md says how many each process takes',
      );
}

const CONNECTIONS_WANTED = 20;

/** @param ahead milliseconds by which this machine is ahead of the database. */
function clock(ahead: number): Finding {
  const seconds = Math.abs(ahead / 1000).toFixed(1);
  const message = `This machine's clock is ${seconds} s ${ahead < 0 ? 'behind' : 'ahead of'} the database's`;
  const remedy = 'Keep both in step with a time server (systemctl enable --now systemd-timesyncd, or chrony)';
  if (Math.abs(ahead) < 2_000) {
    return ok('clock', message);
  }
  return Math.abs(ahead) <= TOLERATED_SKEW
    ? warning('clock', message, remedy)
    : fault(
        'clock',
        `${message}; until that is mended, ingestion and the handheld gateway record nothing`,
        remedy,
      );
}

export async function examineHypertables(db: Connection): Promise<Finding> {
  const timescale = await db.maybeOne(sql.type(rowsOf<{ version: string; licence: string | null }>())`
    select extversion as version, current_setting('timescaledb.license', true) as licence
    from pg_extension where extname = 'timescaledb'`);
  if (timescale === null) {
    return warning(
      'hypertables',
      'There is no TimescaleDB here: everything works, but old scans are deleted row by row',
      'Fine for trials and small sites. Large ones need a database with TimescaleDB: see deploy/grow.md',
    );
  }
  const hypertables = await db.any(sql.type(rowsOf<{ name: string }>())`
    select hypertable_name::text as name from timescaledb_information.hypertables
    where hypertable_name = any(${sql.array(TABLES, 'text')})`);
  const plain = TABLES.filter((table) => !hypertables.some(({ name }) => name === table));
  if (plain.length > 0) {
    return warning(
      'hypertables',
      `TimescaleDB ${timescale.version} is installed, but ${plain.join(' and ')} are ordinary tables: the extension was added after the migrations`,
      'Create a new database, migrate it, and move the data there: see deploy/grow.md',
    );
  }
  const edition =
    timescale.licence === 'timescale' ? 'community edition' : 'Apache edition, without compression';
  return ok('hypertables', `TimescaleDB ${timescale.version}, ${edition}`);
}

export async function examineSequences(db: Connection): Promise<Finding> {
  const rows = await db.any(sql.type(rowsOf<SequenceUse>())`${SEQUENCE_USE}`);
  const half = rows.filter(({ share }) => share >= 0.5);
  if (half.length === 0) {
    const [most] = rows;
    return ok(
      'ids',
      `${percent(most?.share ?? 0)} of those for ${most?.table ?? 'rows'} are used, of others less`,
    );
  }
  const used = half.filter(({ share }) => share >= 1);
  if (used.length > 0) {
    return fault(
      'ids',
      `None are left for ${used.map(({ table }) => table).join(', ')}: no such row can be created`,
      'Find the program that created so much (LOG_REQUESTS=all), and move to a new database',
    );
  }
  return warning(
    'ids',
    `Of ids up to 2147483647, ${half.map(({ table, share }) => `${percent(share)} are used for ${table}`).join(', ')}`,
    'Once they are used up, nothing can be created: find the program that creates so much, and move to a new database in time',
  );
}

function percent(share: number): string {
  return `${Math.floor(share * 100)} %`;
}
