import { DATABASE_NOW, TOLERATED_SKEW } from '../../db/timescale/queries/database-clock.ts';
import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { remedyOfVersion } from '../../db/timescale/schema/server-version.ts';
import { type Finding, fault, ok, warning } from './finding.ts';

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
