import type { Micros } from '../../../base/instant.ts';
import type { Client } from '../../../db/timescale/connections/client.ts';
import { findPlace } from './place.ts';

/** A setting that is the latest for its place. */
export interface LatestSmoothing {
  /** Null: the organization's. */
  locationExternalKey: string | null;
  validFrom: Micros;
  mode: 'on' | 'off';
  windowSeconds: number | null;
  minSeconds: number | null;
  marginDb: number | null;
}

/**
 * The latest settings of an organization: its own first, if it ever had one, then those of live locations that have one,
 * in order of their key.
 *
 * @throws AppError `not_found` if there is no such organization.
 */
export async function listSmoothing(client: Client, orgId: number): Promise<LatestSmoothing[]> {
  await findPlace(client, orgId, null);
  const { rows } = await client.query<LatestSmoothing>(
    `select location.external_key as "locationExternalKey", micros_of_time(latest.valid_from) as "validFrom",
       latest.mode, latest.window_seconds as "windowSeconds", latest.min_seconds as "minSeconds",
       latest.margin_db as "marginDb"
     from (
       select distinct on (location_id) * from smoothing_settings
       where org_id = $1 order by location_id, valid_from desc, id desc
     ) latest
     left join locations location on location.org_id = latest.org_id and location.id = latest.location_id
     where latest.mode <> 'inherit' and location.deleted_at is null
     order by latest.location_id is not null, location.external_key`,
    [orgId],
  );
  return rows;
}
