import type pg from 'pg';
import { DATABASE_NOW } from '../queries/database-clock.ts';

/** How far the primary had come when it was asked. */
export interface PrimaryPosition {
  /** Null if it is a standby by now. */
  lsn: string | null;
  timeline: string | null;
  system: string;
  database: string;
  /** Milliseconds since 1970 by the server's clock. */
  now: number;
}

/** How far a server has come that is to be its replica. */
export interface ReplicaPosition extends Pick<PrimaryPosition, 'timeline' | 'system' | 'database' | 'now'> {
  is_standby: boolean;
  role: string;
  /** Bytes of the log. */
  behind: number | null;
}

const COMMON = `(select system_identifier::text from pg_control_system()) as system, current_database() as database,
  ${DATABASE_NOW.sql} as now`;

/** Everything acknowledged before lies before the position: a commit is flushed first. */
export const ASK_PRIMARY: pg.QueryConfig & { name: string } = {
  name: 'primary-position',
  text: `select case when not pg_is_in_recovery() then pg_current_wal_flush_lsn()::text end as lsn,
      case when not pg_is_in_recovery() then left(pg_walfile_name(pg_current_wal_lsn()), 8) end as timeline,
      ${COMMON}`,
  values: [],
};

/**
 * A standby knows its timeline from its last restart point, or later. If it has the primary's, it followed the same
 * primaries, and positions can be compared: after a failover one may be further than the new primary in a log that is void.
 */
export function askReplica(lsn: string | null): pg.QueryConfig {
  return {
    name: 'replica-position',
    text: `select pg_is_in_recovery() as is_standby, current_user::text as role,
        pg_wal_lsn_diff($1::pg_lsn, pg_last_wal_replay_lsn())::float8 as behind,
        lpad(upper(to_hex(greatest(
          (select timeline_id from pg_control_checkpoint()),
          (select min_recovery_end_timeline from pg_control_recovery())
        ))), 8, '0') as timeline,
        ${COMMON}`,
    values: [lsn],
  };
}

/** The reason why a server can never be the primary's replica; null if there is none. */
export function faultOfReplica(
  replica: ReplicaPosition,
  primary: PrimaryPosition,
  role: string,
): string | null {
  if (replica.system !== primary.system || replica.database !== primary.database) {
    return 'it leads to another database than DATABASE_URL';
  }
  return replica.role === role
    ? null
    : `queries would run as ${replica.role}, past the separation of organizations`;
}

/** True if the server has replayed all that the primary had when it was asked. */
export function isAsFar(
  { is_standby, timeline, behind }: ReplicaPosition,
  primary: Pick<PrimaryPosition, 'timeline'>,
): boolean {
  return is_standby && timeline === primary.timeline && behind !== null && behind <= 0;
}
