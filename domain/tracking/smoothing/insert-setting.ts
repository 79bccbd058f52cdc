import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { ADVISORY_LOCKS } from '../../../db/timescale/connections/advisory-locks.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { Setting } from './require-smoothing.ts';

/**
 * Stores a setting that holds from now on, but after every scan of the organization that is recorded.
 *
 * @param now null for the database's clock.
 * @returns when it begins to hold.
 */
export async function insertSetting(
  transaction: Connection,
  { orgId, locationId, smoothing }: Setting,
  now: Micros | null,
): Promise<Micros> {
  const { window = null, minimum = null, margin = null } = typeof smoothing === 'object' ? smoothing : {};
  // Waits for the recorders that have read the settings, and lets no other read them, so that none has yet decided
  // about a scan that is newer than the newest seen here.
  await transaction.exec(sql.type(NO_ROWS)`select pg_advisory_xact_lock(${ADVISORY_LOCKS.smoothing})`);
  const row = await transaction.one(sql.type(rowsOf<{ valid_from: Micros }>())`
    insert into smoothing_settings
      (org_id, location_id, valid_from, mode, window_seconds, min_seconds, margin_db)
    select ${orgId}, ${locationId}::integer,
      greatest(
        coalesce(time_of_micros(${now}), clock_timestamp()),
        (select max(last_seen) + interval '1 microsecond' from positions where org_id = ${orgId}),
        (select max(valid_from) from smoothing_settings where org_id = ${orgId})),
      ${typeof smoothing === 'object' ? 'on' : smoothing}, ${inSeconds(window)}::integer,
      ${inSeconds(minimum)}::integer, ${margin}::double precision
    returning micros_of_time(valid_from) as valid_from`);
  return row.valid_from;
}

function inSeconds(micros: Micros | null): number | null {
  return micros === null ? null : micros / MICROS_PER_SECOND;
}
