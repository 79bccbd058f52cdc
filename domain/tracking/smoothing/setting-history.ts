import type { Micros } from '../../../base/instant.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';

export interface MadeSetting {
  id: number;
  /** Null for the organization's. */
  location_id: number | null;
  location_external_key: string | null;
  location_name: string | null;
  valid_from: Micros;
  mode: 'on' | 'off' | 'inherit';
  window_seconds: number | null;
  min_seconds: number | null;
  margin_db: number | null;
  /** Who made it; null if that is not known. */
  actor_type: string | null;
  actor_id: string | null;
  /** The newest of its location, which is live: it holds. */
  is_in_force: boolean;
}

/**
 * The settings of an organization, newest first, at most `limit` of them, and those in force whatever their age; deleted
 * locations are named too.
 */
export function settingHistory(
  db: Connection,
  orgId: number,
  limit: number,
): Promise<readonly MadeSetting[]> {
  return db.any(sql.type(rowsOf<MadeSetting>())`
    select made.id, made.location_id, location.external_key as location_external_key, location.name as location_name,
      micros_of_time(made.valid_from) as valid_from, made.mode, made.window_seconds, made.min_seconds, made.margin_db,
      made.actor_type, made.actor_id,
      made.turn = 1 and location.deleted_at is null and made.mode <> 'inherit' as is_in_force
    from (
      select *, row_number() over (partition by location_id order by valid_from desc, id desc) as turn,
        row_number() over (order by valid_from desc, id desc) as place
      from smoothing_settings where org_id = ${orgId}
    ) made
    left join locations location on location.org_id = ${orgId} and location.id = made.location_id
    where made.place <= ${limit} or made.turn = 1
    order by made.place limit 10000`);
}
