import { AppError } from '../../../base/errors.ts';
import type { Database } from '../../../db/timescale/connections/database.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Actor } from '../../changes/actor.ts';
import { differences } from '../../changes/differences.ts';
import { type Change, changed, makeChange, unchanged } from '../../changes/make-change.ts';
import { holdLiveLocation } from '../../master-data/by-id-or-key.ts';
import { requireRoomForAntenna } from './require-room.ts';
import { lockReader } from './stored-reader.ts';

/** Fields left out stay as they are. */
export interface AntennaChange {
  readerId: number;
  /** 1 to 32767. */
  port: number;
  locationExternalKey?: string | null;
  /** dBm; a weaker read is unplaced. Null for no threshold. */
  minRssi?: number | null;
  isEnabled?: boolean;
  /** Taken off each of its levels where strength or position decides, within {@link OFFSET_DB}. */
  offsetDb?: number;
  /** Above the tags, within {@link HEIGHT_M}. */
  heightM?: number;
}

/** Decibels. */
export const OFFSET_DB = { min: -100, max: 100 };

/** Metres. */
export const HEIGHT_M = { min: 0, max: 100 };

export interface AntennaSettings {
  readerId: number;
  port: number;
  locationExternalKey: string | null;
  minRssi: number | null;
  isEnabled: boolean;
  offsetDb: number;
  heightM: number;
}

/**
 * Updates an antenna of a live reader, adding it if it is new.
 *
 * @throws AppError `invalid_input` (port), `not_found` (reader, location), `conflict` (too many).
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
    if (!(await isThere(change, { orgId, readerId, port }))) {
      await requireRoomForAntenna(change, { orgId, readerId });
    }
    const locationId =
      locationExternalKey == null ? null : await holdLiveLocation(change, orgId, locationExternalKey);
    const row = await upsert(change, { ...wanted, orgId, locationId });
    const settings = toSettings(row);
    const before = row.before === null ? null : antennaFields(JSON.parse(row.before));
    const after = antennaFields(row);
    const differing = before === null ? { before, after } : differences(before, after);
    const resource = { type: 'antenna', id: antennaId(readerId, port) } as const;
    return differing === null
      ? unchanged(settings)
      : changed(settings, [{ orgId, action: before === null ? 'create' : 'update', resource, ...differing }]);
  });
}

async function isThere(
  change: Change,
  { orgId, readerId, port }: { orgId: number; readerId: number; port: number },
): Promise<boolean> {
  const { is_there: is } = await change.one(sql.type(rowsOf<{ is_there: boolean }>())`
    select exists (
      select from antennas where org_id = ${orgId} and reader_id = ${readerId} and port = ${port}) as is_there`);
  return is;
}

interface StoredAntenna {
  location_external_key: string | null;
  min_rssi: number | null;
  is_enabled: boolean;
  offset_db: number;
  height_m: number;
}

/** One that was just added with its reader. */
export const NEW_ANTENNA = {
  ...{ location_external_key: null, min_rssi: null, enabled: true },
  ...{ offset_db: 0, height_m: 1 },
} as const satisfies ReturnType<typeof antennaFields>;

interface AntennaRow extends StoredAntenna {
  reader_id: number;
  port: number;
  /** JSON of what it was before; null for a new one. */
  before: string | null;
}

/** An antenna has no id of its own. */
export function antennaId(readerId: number, port: number): string {
  return `${readerId}/${port}`;
}

function antennaFields({ location_external_key, min_rssi, is_enabled, offset_db, height_m }: StoredAntenna) {
  return { location_external_key, min_rssi, enabled: is_enabled, offset_db, height_m };
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
    offsetDb = null,
    heightM = null,
  }: Omit<AntennaChange, 'isEnabled' | 'offsetDb' | 'heightM'> & {
    orgId: number;
    locationId: number | null;
    isEnabled?: boolean | null;
    offsetDb?: number | null;
    heightM?: number | null;
  },
): Promise<AntennaRow> {
  return change.one(sql.type(rowsOf<AntennaRow>())`
    with before as (
      select json_build_object('location_external_key', location.external_key, 'min_rssi', stored.min_rssi,
        'is_enabled', stored.is_enabled, 'offset_db', stored.offset_db, 'height_m', stored.height_m) as before
      from antennas stored
      left join locations location on location.org_id = stored.org_id and location.id = stored.location_id
      where stored.org_id = ${orgId} and stored.reader_id = ${readerId} and stored.port = ${port}
    ), antenna as (
      insert into antennas as stored (org_id, reader_id, port, location_id, min_rssi, is_enabled, offset_db, height_m)
      values (${orgId}, ${readerId}, ${port}, ${locationId}, ${minRssi ?? null}, coalesce(${isEnabled}, true),
        coalesce(${offsetDb}::double precision, 0), coalesce(${heightM}::double precision, 1))
      on conflict (org_id, reader_id, port) do update set
        location_id = case when ${locationExternalKey !== undefined} then excluded.location_id else stored.location_id end,
        min_rssi = case when ${minRssi !== undefined} then excluded.min_rssi else stored.min_rssi end,
        is_enabled = coalesce(${isEnabled}, stored.is_enabled),
        offset_db = coalesce(${offsetDb}::double precision, stored.offset_db),
        height_m = coalesce(${heightM}::double precision, stored.height_m)
      returning *
    )
    select antenna.reader_id, antenna.port, location.external_key as location_external_key,
      antenna.min_rssi, antenna.is_enabled, antenna.offset_db, antenna.height_m, (select before from before) as before
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
    offsetDb: row.offset_db,
    heightM: row.height_m,
  };
}
