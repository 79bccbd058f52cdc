import { AppError } from '../../../base/errors.ts';
import { leastOf } from '../../../base/extremes.ts';
import type { Database } from '../../../db/timescale/connections/database.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Actor } from '../../changes/actor.ts';
import { differences } from '../../changes/entry.ts';
import { type Change, changed, makeChange, unchanged } from '../../changes/make-change.ts';
import { asAntenna, LONGEST_ANTENNA, MOST_NUMBER, MOST_PORT } from '../../formats/mapping/acceptance.ts';
import { holdLiveLocation } from '../../master-data/by-id-or-key.ts';
import { requireRoomForAntenna } from './require-room.ts';
import { lockReader } from './stored-reader.ts';

/** Identifies an antenna by its port or its name; with both, either finds it. Fields left out stay as they are. */
export interface AntennaChange {
  readerId: number;
  /** 1 to 65535; below 0 the number of an antenna that has none. */
  port?: number | undefined;
  /** As the device names it; 1 to 64 characters, and no port. */
  name?: string | undefined;
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

export interface AntennaSettings extends AntennaKey {
  readerId: number;
  /** The reader had none like it before. */
  isNew: boolean;
  locationExternalKey: string | null;
  minRssi: number | null;
  isEnabled: boolean;
  offsetDb: number;
  heightM: number;
}

/** How messages may name an antenna, and the number by which all else refers to it. */
interface AntennaKey {
  /** The port, or below 0. */
  number: number;
  name: string | null;
  /** The port of an antenna with a number below 0. */
  devicePort: number | null;
}

/** The port that a device names, if it names one. */
export function portOf({ number, devicePort }: Pick<AntennaKey, 'number' | 'devicePort'>): number | null {
  return number > 0 ? number : devicePort;
}

/**
 * Updates an antenna of a live reader, adding it if it is new.
 *
 * @throws AppError `invalid_input` (port, name), `not_found` (reader, location), `conflict` (too many, or two antennas).
 */
export async function setAntenna(
  db: Database,
  actor: Actor,
  wanted: AntennaChange,
): Promise<AntennaSettings> {
  const { readerId, locationExternalKey } = wanted;
  requireKey(wanted);
  return makeChange(db, actor, async (change) => {
    const { orgId } = await lockReader(change, readerId);
    const known = await keysOfReader(change, { orgId, readerId });
    const key = keyFor(wanted, known);
    if (!known.some(({ number }) => number === key.number)) {
      await requireRoomForAntenna(change, { orgId, readerId });
    }
    const locationId =
      locationExternalKey == null ? null : await holdLiveLocation(change, orgId, locationExternalKey);
    const row = await upsert(change, { ...wanted, ...key, orgId, locationId });
    const settings = toSettings(row);
    const before = row.before === null ? null : antennaFields(JSON.parse(row.before));
    const after = antennaFields(row);
    const differing = before === null ? { before, after } : differences(before, after);
    const resource = { type: 'antenna', id: antennaId(readerId, key.number) } as const;
    return differing === null
      ? unchanged(settings)
      : changed(settings, [{ orgId, action: before === null ? 'create' : 'update', resource, ...differing }]);
  });
}

/**
 * Removes an antenna of a live reader, also from plans. Its past reads stay; later ones have no location.
 *
 * @throws AppError `invalid_input` (port, name), `not_found`.
 */
export function removeAntenna(
  db: Database,
  actor: Actor,
  wanted: Pick<AntennaChange, 'readerId' | 'port' | 'name'>,
): Promise<void> {
  const { readerId, port, name } = wanted;
  requireKey(wanted);
  return makeChange(db, actor, async (change) => {
    const { orgId } = await lockReader(change, readerId);
    const known = await keysOfReader(change, { orgId, readerId });
    const { number } = keyFor(wanted, known);
    if (!known.some((key) => key.number === number)) {
      throw new AppError('not_found', `Reader ${readerId} has no antenna ${name ?? port}`);
    }
    await change.exec(sql.type(NO_ROWS)`
      delete from plan_antennas where org_id = ${orgId} and reader_id = ${readerId} and port = ${number}`);
    // Its versions tell that it covers nothing from now on.
    const row = await upsert(change, {
      ...{ orgId, readerId, locationId: null, locationExternalKey: null, isEnabled: false },
      ...(known.find((key) => key.number === number) as AntennaKey),
    });
    await change.exec(sql.type(NO_ROWS)`
      delete from antennas where org_id = ${orgId} and reader_id = ${readerId} and port = ${number}`);
    const before = antennaFields(JSON.parse(row.before as string));
    const resource = { type: 'antenna', id: antennaId(readerId, number) } as const;
    return changed(undefined, [{ orgId, action: 'delete', resource, before, after: null }]);
  });
}

function requireKey({ port, name }: AntennaChange): void {
  if (port === undefined && name === undefined) {
    throw new AppError('invalid_input', 'Name the antenna by its port, its name, or both');
  }
  if (
    port !== undefined &&
    !(Number.isInteger(port) && port <= MOST_PORT && port >= -MOST_NUMBER - 1 && port !== 0)
  ) {
    throw new AppError('invalid_input', `Antenna port ${port} is not an integer from 1 to ${MOST_PORT}`);
  }
  if (name !== undefined && asAntenna(name) !== name) {
    const isPort = typeof asAntenna(name) === 'number';
    throw new AppError(
      'invalid_input',
      isPort
        ? `Antenna name ${name} is a port: give it as the port`
        : `An antenna's name has 1 to ${LONGEST_ANTENNA} characters, without blanks around them and control characters`,
    );
  }
}

async function keysOfReader(
  change: Change,
  { orgId, readerId }: { orgId: number; readerId: number },
): Promise<readonly AntennaKey[]> {
  const rows = await change.any(sql.type(
    rowsOf<{ port: number; name: string | null; device_port: number | null }>(),
  )`
    select port, name, device_port from antennas where org_id = ${orgId} and reader_id = ${readerId}`);
  return rows.map(({ port, name, device_port: devicePort }) => ({ number: port, name, devicePort }));
}

/** The antenna's key from now on. @throws AppError `not_found`, `conflict`. */
function keyFor({ readerId, port, name }: AntennaChange, known: readonly AntennaKey[]): AntennaKey {
  const byPort = known.find((key) => key.number === port || (port !== undefined && key.devicePort === port));
  const byName = name === undefined ? undefined : known.find((key) => key.name === name);
  if (byPort !== undefined && byName !== undefined && byPort !== byName) {
    throw new AppError('conflict', `Port ${port} and ${name} are two antennas of reader ${readerId} already`);
  }
  const found = byPort ?? byName;
  if (found !== undefined) {
    const givenPort = portOf(found);
    if (port !== undefined && port > 0 && givenPort !== null && givenPort !== port) {
      throw new AppError(
        'conflict',
        `Antenna ${name} of reader ${readerId} has port ${givenPort}, not ${port}`,
      );
    }
    const devicePort = found.number < 0 && port !== undefined && port > 0 ? port : found.devicePort;
    return { number: found.number, name: name ?? found.name, devicePort };
  }
  if (port !== undefined && port < 0) {
    throw new AppError('not_found', `Reader ${readerId} has no such antenna`);
  }
  const isStored = port !== undefined && port <= MOST_NUMBER;
  const number = isStored ? port : leastOf([0, ...known.map((key) => key.number)]) - 1;
  return { number, name: name ?? null, devicePort: isStored ? null : (port ?? null) };
}

interface StoredAntenna {
  name: string | null;
  location_external_key: string | null;
  min_rssi: number | null;
  is_enabled: boolean;
  offset_db: number;
  height_m: number;
}

/** An antenna just added with its reader. */
export const NEW_ANTENNA = {
  ...{ name: null, location_external_key: null, min_rssi: null, enabled: true },
  ...{ offset_db: 0, height_m: 1 },
} as const satisfies ReturnType<typeof antennaFields>;

interface AntennaRow extends StoredAntenna {
  reader_id: number;
  port: number;
  device_port: number | null;
  /** JSON of the earlier state; null for a new one. */
  before: string | null;
}

/** Antennas have no ids. */
export function antennaId(readerId: number, port: number): string {
  return `${readerId}/${port}`;
}

function antennaFields({
  name,
  location_external_key,
  min_rssi,
  is_enabled,
  offset_db,
  height_m,
}: StoredAntenna) {
  return { name, location_external_key, min_rssi, enabled: is_enabled, offset_db, height_m };
}

function upsert(
  change: Change,
  {
    orgId,
    readerId,
    number,
    name,
    devicePort,
    locationId,
    locationExternalKey,
    minRssi,
    isEnabled = null,
    offsetDb = null,
    heightM = null,
  }: Omit<AntennaChange, 'isEnabled' | 'offsetDb' | 'heightM' | 'name'> &
    AntennaKey & {
      orgId: number;
      locationId: number | null;
      isEnabled?: boolean | null;
      offsetDb?: number | null;
      heightM?: number | null;
    },
): Promise<AntennaRow> {
  return change.one(sql.type(rowsOf<AntennaRow>())`
    with before as (
      select json_build_object('name', stored.name, 'location_external_key', location.external_key, 'min_rssi', stored.min_rssi,
        'is_enabled', stored.is_enabled, 'offset_db', stored.offset_db, 'height_m', stored.height_m) as before
      from antennas stored
      left join locations location on location.org_id = stored.org_id and location.id = stored.location_id
      where stored.org_id = ${orgId} and stored.reader_id = ${readerId} and stored.port = ${number}
    ), antenna as (
      insert into antennas as stored (org_id, reader_id, port, name, device_port, location_id, min_rssi, is_enabled, offset_db, height_m)
      values (${orgId}, ${readerId}, ${number}, ${name}, ${devicePort}, ${locationId}, ${minRssi ?? null}, coalesce(${isEnabled}, true),
        coalesce(${offsetDb}::double precision, 0), coalesce(${heightM}::double precision, 1))
      on conflict (org_id, reader_id, port) do update set
        name = excluded.name, device_port = excluded.device_port,
        location_id = case when ${locationExternalKey !== undefined} then excluded.location_id else stored.location_id end,
        min_rssi = case when ${minRssi !== undefined} then excluded.min_rssi else stored.min_rssi end,
        is_enabled = coalesce(${isEnabled}, stored.is_enabled),
        offset_db = coalesce(${offsetDb}::double precision, stored.offset_db),
        height_m = coalesce(${heightM}::double precision, stored.height_m)
      returning *
    )
    select antenna.reader_id, antenna.port, antenna.name, antenna.device_port, location.external_key as location_external_key,
      antenna.min_rssi, antenna.is_enabled, antenna.offset_db, antenna.height_m, (select before from before) as before
    from antenna left join locations location
      on location.org_id = antenna.org_id and location.id = antenna.location_id`);
}

function toSettings(row: AntennaRow): AntennaSettings {
  return {
    readerId: row.reader_id,
    isNew: row.before === null,
    number: row.port,
    name: row.name,
    devicePort: row.device_port,
    locationExternalKey: row.location_external_key,
    minRssi: row.min_rssi,
    isEnabled: row.is_enabled,
    offsetDb: row.offset_db,
    heightM: row.height_m,
  };
}
