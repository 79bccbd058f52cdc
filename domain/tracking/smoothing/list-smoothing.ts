import type { Micros } from '../../../base/instant.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';

export interface LatestSmoothing {
  /** Null for the setting of the organization. */
  location_external_key: string | null;
  valid_from: Micros;
  mode: 'on' | 'off';
  window_seconds: number | null;
  min_seconds: number | null;
  margin_db: number | null;
}

/**
 * The latest settings: the organization's first, if it ever had one, then those of live locations that have one, sorted
 * by key.
 */
export function listSmoothing(db: Connection, orgId: number): Promise<readonly LatestSmoothing[]> {
  return db.any(sql.type(rowsOf<LatestSmoothing>())`
    select location.external_key as location_external_key, micros_of_time(latest.valid_from) as valid_from,
      latest.mode, latest.window_seconds, latest.min_seconds, latest.margin_db
    from (
      select distinct on (location_id) * from smoothing_settings
      where org_id = ${orgId} order by location_id, valid_from desc, id desc
    ) latest
    left join locations location on location.org_id = latest.org_id and location.id = latest.location_id
    where latest.mode <> 'inherit' and location.deleted_at is null
    order by latest.location_id is not null, location.external_key`);
}
