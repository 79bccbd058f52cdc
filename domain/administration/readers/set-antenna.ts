import { AppError } from '../../../base/errors.ts';
import type { Database } from '../../../db/timescale/connections/database.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Actor } from '../../changes/actor.ts';
import { type Change, makeChange } from '../../changes/make-change.ts';
import { holdLiveLocation } from '../../master-data/live-by-key.ts';
import { lockReader } from './stored-reader.ts';

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
export async function setAntenna(
  db: Database,
  actor: Actor,
  wanted: AntennaChange,
): Promise<AntennaSettings> {
  const { readerId, port, locationExternalKey } = wanted;
  if (!Number.isInteger(port) || port < 1 || port > 32_767) {
    throw new AppError('invalid_input', `Antenna port ${port} is not an integer from 1 to 32767`);
  }
  return makeChange(db, actor, async (change) => {
    const { orgId } = await lockReader(change, readerId);
    const locationId =
      locationExternalKey == null ? null : await holdLiveLocation(change, orgId, locationExternalKey);
    return toSettings(await upsert(change, { ...wanted, orgId, locationId }));
  });
}

interface AntennaRow {
  reader_id: number;
  port: number;
  location_external_key: string | null;
  min_rssi: number | null;
  is_enabled: boolean;
}

function upsert(
  change: Change,
  {
    orgId,
    readerId,
    port,
    locationId,
    locationExternalKey,
    minRssi,
    isEnabled = null,
  }: Omit<AntennaChange, 'isEnabled'> & {
    orgId: number;
    locationId: number | null;
    isEnabled?: boolean | null;
  },
): Promise<AntennaRow> {
  return change.one(sql.type(rowsOf<AntennaRow>())`
    with antenna as (
      insert into antennas as stored (org_id, reader_id, port, location_id, min_rssi, is_enabled)
      values (${orgId}, ${readerId}, ${port}, ${locationId}, ${minRssi ?? null}, coalesce(${isEnabled}, true))
      on conflict (org_id, reader_id, port) do update set
        location_id = case when ${locationExternalKey !== undefined} then excluded.location_id else stored.location_id end,
        min_rssi = case when ${minRssi !== undefined} then excluded.min_rssi else stored.min_rssi end,
        is_enabled = coalesce(${isEnabled}, stored.is_enabled)
      returning *
    )
    select antenna.reader_id, antenna.port, location.external_key as location_external_key,
      antenna.min_rssi, antenna.is_enabled
    from antenna left join locations location
      on location.org_id = antenna.org_id and location.id = antenna.location_id`);
}

function toSettings(row: AntennaRow): AntennaSettings {
  return {
    readerId: row.reader_id,
    port: row.port,
    locationExternalKey: row.location_external_key,
    minRssi: row.min_rssi,
    isEnabled: row.is_enabled,
  };
}
