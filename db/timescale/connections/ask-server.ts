import pg from 'pg';
import type { Address } from './database-url.ts';
import { sqlStateOf } from './sql-state.ts';

/** Milliseconds to connect, and for an answer. */
const PATIENCE = 2_000;

/** A server's answer about itself. */
export interface ServerAnswer {
  address: Address;
  /** A standby is in recovery; a server that is neither has been set read-only. */
  standing: 'primary' | 'read-only' | 'standby';
  /** Identifies the database cluster: its standbys, and copies of its files, have the same. {@link UNTOLD} without permission to ask. */
  system: string;
  /** One more with each promotion. A standby knows it from its last restart point, or later; 0 where that may not be asked. */
  timeline: number;
  /** Distinguishes two servers from one with two names. */
  startedAt: string;
}

interface Row extends Pick<ServerAnswer, 'system' | 'timeline'> {
  is_standby: boolean;
  is_read_only: boolean;
  started_at: string;
}

/** Stands for the cluster of servers that do not tell. */
export const UNTOLD = '';

/** Functions that a managed service may have kept to itself. */
export const CONTROL_DATA = 'pg_control_system(), pg_control_checkpoint(), pg_control_recovery()';

const INSUFFICIENT_PRIVILEGE = '42501';

const WHOLE = questionOf(
  '(select system_identifier::text from pg_control_system())',
  `greatest(
      (select timeline_id from pg_control_checkpoint()),
      (select min_recovery_end_timeline from pg_control_recovery())
    )`,
);

const WITHOUT_CONTROL_DATA = questionOf(`'${UNTOLD}'`, '0');

function questionOf(system: string, timelineOfStandby: string): string {
  return `select pg_is_in_recovery() as is_standby, current_setting('transaction_read_only') = 'on' as is_read_only,
    ${system} as system,
    case when pg_is_in_recovery() then ${timelineOfStandby}
      else ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer end as timeline,
    pg_postmaster_start_time()::text as started_at`;
}

/** @throws the connection's error. */
export async function askServer(
  address: Address,
  config: pg.ClientConfig,
  signal?: AbortSignal,
): Promise<ServerAnswer> {
  const client = new pg.Client({ ...config, connectionTimeoutMillis: PATIENCE, query_timeout: PATIENCE });
  Object.assign(client, address).on('error', () => {});
  const leave = () => client.connection.stream.destroy();
  signal?.addEventListener('abort', leave);
  try {
    await client.connect();
    const { rows } = await client.query<Row>(WHOLE).catch((error: unknown) => {
      if (sqlStateOf(error) !== INSUFFICIENT_PRIVILEGE) {
        throw error;
      }
      return client.query<Row>(WITHOUT_CONTROL_DATA);
    });
    const [row] = rows as [Row];
    return {
      address,
      standing: row.is_standby ? 'standby' : row.is_read_only ? 'read-only' : 'primary',
      system: row.system,
      timeline: row.timeline,
      startedAt: row.started_at,
    };
  } finally {
    signal?.removeEventListener('abort', leave);
    leave();
  }
}
