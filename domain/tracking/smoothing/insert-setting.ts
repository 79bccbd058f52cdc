import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { ADVISORY_LOCKS } from '../../../db/timescale/connections/advisory-locks.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { Setting } from './require-smoothing.ts';

/**
 * Stores a setting that holds from now on: after every scan of the organization that is recorded, and not before the
 * setting that it follows.
 *
 * @param now null for the database's clock.
 * @returns the setting with the instant from which it holds, and the one before it of the same location.
 */
export async function insertSetting(
  transaction: Connection,
  { orgId, locationId, smoothing, actor }: Setting & { actor: { type: string; id: string } },
  now: Micros | null,
): Promise<{ before: string | null; after: string; validFrom: Micros }> {
  const { window = null, minimum = null, margin = null } = typeof smoothing === 'object' ? smoothing : {};
  // Waits for the recorders that have read the settings, and keeps others from reading them, so that none has judged a
  // scan newer than the newest found here.
  await transaction.exec(sql.type(NO_ROWS)`select pg_advisory_xact_lock(${ADVISORY_LOCKS.smoothing})`);
  const row = await transaction.one(sql.type(rowsOf<Inserted>())`
    insert into smoothing_settings
      (org_id, location_id, valid_from, mode, window_seconds, min_seconds, margin_db, actor_type, actor_id)
    select ${orgId}, ${locationId}::integer,
      greatest(
        coalesce(time_of_micros(${now}), clock_timestamp()),
        (select max(last_seen) + interval '1 microsecond' from positions where org_id = ${orgId}),
        (select max(valid_from) from smoothing_settings where org_id = ${orgId})),
      ${typeof smoothing === 'object' ? 'on' : smoothing}, ${inSeconds(window)}::integer,
      ${inSeconds(minimum)}::integer, ${margin}::double precision, ${actor.type}, ${actor.id}
    returning micros_of_time(valid_from) as valid_from, ${AS_JSON} as after, (
      select ${AS_JSON} from smoothing_settings
      where org_id = ${orgId} and location_id is not distinct from ${locationId}::integer
      order by valid_from desc, id desc limit 1
    ) as before`);
  return { before: row.before, after: row.after, validFrom: row.valid_from };
}

interface Inserted {
  valid_from: Micros;
  before: string | null;
  after: string;
}

/** A setting as `smoothing show` has it. */
const AS_JSON = sql.fragment`json_build_object('mode', mode, 'window_seconds', window_seconds,
  'min_seconds', min_seconds, 'margin_db', margin_db,
  'valid_from', to_char(valid_from at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`;

function inSeconds(micros: Micros | null): number | null {
  return micros === null ? null : micros / MICROS_PER_SECOND;
}
