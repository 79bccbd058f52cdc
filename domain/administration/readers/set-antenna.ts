import { AppError } from '../../../base/errors.ts';
import type { Client, Pool } from '../../../db/timescale/connections/client.ts';
import { inTransaction } from '../../../db/timescale/connections/transaction.ts';

/** What is to change of an antenna; what is left out stays as it is. */
export interface AntennaChange {
  readerId: number;
  /** 1 to 32767. */
  port: number;
  /** A live location of the reader's organization; null for none. */
  locationExternalKey?: string | null;
  /** dBm; a weaker read is unplaced. Null for no bound. */
  minRssi?: number | null;
  isEnabled?: boolean;
}

export interface AntennaSettings {
  readerId: number;
  port: number;
  locationExternalKey: string | null;
  minRssi: number | null;
  isEnabled: boolean;
}

/**
 * Sets an antenna of a live reader, adding it if it is new.
 *
 * @throws AppError `invalid_input` (port), `not_found` (reader, location).
 */
export async function setAntenna(pool: Pool, change: AntennaChange): Promise<AntennaSettings> {
  const { readerId, port, locationExternalKey, minRssi, isEnabled } = change;
  if (!Number.isInteger(port) || port < 1 || port > 32_767) {
    throw new AppError('invalid_input', `Antenna port ${port} is not an integer from 1 to 32767`);
  }
  return inTransaction(pool, async (client) => {
    const orgId = await organizationOf(client, readerId);
    const locationId =
      locationExternalKey == null ? null : await locationOf(client, orgId, locationExternalKey);
    const { rows } = await client.query<AntennaSettings>(
      `with antenna as (
         insert into antennas as stored (org_id, reader_id, port, location_id, min_rssi, is_enabled)
         values ($1, $2, $3, $4, $6, coalesce($8, true))
         on conflict (org_id, reader_id, port) do update set
           location_id = case when $5 then excluded.location_id else stored.location_id end,
           min_rssi = case when $7 then excluded.min_rssi else stored.min_rssi end,
           is_enabled = coalesce($8, stored.is_enabled)
         returning *
       )
       select antenna.reader_id as "readerId", antenna.port, location.external_key as "locationExternalKey",
         antenna.min_rssi as "minRssi", antenna.is_enabled as "isEnabled"
       from antenna left join locations location
         on location.org_id = antenna.org_id and location.id = antenna.location_id`,
      [
        orgId,
        readerId,
        port,
        locationId,
        locationExternalKey !== undefined,
        minRssi ?? null,
        minRssi !== undefined,
        isEnabled ?? null,
      ],
    );
    const [row] = rows;
    if (row === undefined) {
      throw new RangeError('no row from insert');
    }
    return row;
  });
}

async function organizationOf(client: Client, readerId: number): Promise<number> {
  const { rows } = await client.query<{ org_id: number }>(
    'select org_id from readers where id = $1 and deleted_at is null for key share',
    [readerId],
  );
  if (rows[0] === undefined) {
    throw new AppError('not_found', `Reader ${readerId} not found`);
  }
  return rows[0].org_id;
}

async function locationOf(client: Client, orgId: number, externalKey: string): Promise<number> {
  const { rows } = await client.query<{ id: number }>(
    'select id from locations where org_id = $1 and external_key = $2 and deleted_at is null for key share',
    [orgId, externalKey],
  );
  if (rows[0] === undefined) {
    throw new AppError('not_found', `Location ${externalKey} not found in organization ${orgId}`);
  }
  return rows[0].id;
}
