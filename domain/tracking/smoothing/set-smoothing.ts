import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { ADVISORY_LOCKS } from '../../../db/timescale/connections/advisory-locks.ts';
import type { Pool } from '../../../db/timescale/connections/client.ts';
import { inTransaction } from '../../../db/timescale/connections/transaction.ts';
import { findPlace } from './place.ts';
import { requireSetting, type Setting } from './setting.ts';

export interface SmoothingChange extends Setting {
  /** The clock, if not the database's. */
  now?: Micros;
}

/**
 * Makes a setting, for scans observed from now on: after every scan of the organization that is recorded, so that no
 * history changes by it, and scans from before that come late are smoothed as they would have been in time.
 *
 * @returns when it begins to hold.
 * @throws AppError `invalid_input` (see {@link requireSetting}), `not_found` (organization, location).
 */
export async function setSmoothing(pool: Pool, change: SmoothingChange): Promise<Micros> {
  const { orgId, locationExternalKey, smoothing, now = null } = change;
  requireSetting(change);
  const { window = null, minimum = null, margin = null } = typeof smoothing === 'object' ? smoothing : {};
  return inTransaction(pool, async (client) => {
    const locationId = await findPlace(client, orgId, locationExternalKey);
    // Waits for the recorders that have read the settings, and lets no other read them, so that none has yet decided
    // about a scan that is newer than the newest seen here.
    await client.query('select pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.smoothing]);
    const { rows } = await client.query<{ valid_from: Micros }>(
      `insert into smoothing_settings
         (org_id, location_id, valid_from, mode, window_seconds, min_seconds, margin_db)
       select $1, $2,
         greatest(
           coalesce(time_of_micros($3), clock_timestamp()),
           (select max(last_seen) + interval '1 microsecond' from positions where org_id = $1),
           (select max(valid_from) from smoothing_settings where org_id = $1)),
         $4, $5, $6, $7
       returning micros_of_time(valid_from) as valid_from`,
      [
        orgId,
        locationId,
        now,
        typeof smoothing === 'object' ? 'on' : smoothing,
        window === null ? null : window / MICROS_PER_SECOND,
        minimum === null ? null : minimum / MICROS_PER_SECOND,
        margin,
      ],
    );
    const [row] = rows;
    if (row === undefined) {
      throw new RangeError('no row from insert');
    }
    return row.valid_from;
  });
}
