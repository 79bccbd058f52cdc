import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { PlanParts } from '../../../domain/tracking/location/position.ts';
import { readPlans } from '../../../domain/tracking/location/read-site.ts';
import { kindsIn } from '../../../domain/tracking/location/require-setting.ts';
import type { Plan, Setting, World } from '../../../simulation/location/oracle.ts';

export interface StoredWorld {
  /** Rises with each change; null if nothing was ever set. */
  version: number | null;
  /** Null where every scan counts. */
  world: World | null;
}

/** The inputs by which an organization's locations are decided, as the oracle takes them. */
export async function readWorld(db: Connection, orgId: number): Promise<StoredWorld> {
  const version = await siteVersion(db, orgId);
  const settings = await db.any(sql.type(rowsOf<SettingRow>())`
    select location_id, micros_of_time(valid_from) as valid_from, procedure, certainty, tag_dbm, tag_kinds
    from location_settings where org_id = ${orgId} order by id`);
  if (!settings.some(({ procedure }) => procedure === 'strength' || procedure === 'position')) {
    return { version, world: null };
  }
  const parents = await db.any(sql.type(rowsOf<{ id: number; parent_id: number | null }>())`
    select id, parent_id from locations where org_id = ${orgId}`);
  const antennas = await db.any(sql.type(rowsOf<AntennaRow>())`
    select reader_id, port, offset_db, height_m from antennas where org_id = ${orgId}`);
  const world: World = {
    parents: new Map(parents.map(({ id, parent_id: parentId }) => [id, parentId])),
    settings: settings.map(
      (row): Setting => ({
        locationId: row.location_id,
        from: row.valid_from,
        by: row.procedure,
        certainty: row.certainty ?? 1,
        tagDbm: row.tag_dbm,
        tagKinds: kindsOf(row),
      }),
    ),
    antennas: antennas.map((row) => ({
      ...{ readerId: row.reader_id, antenna: row.port, offsetDb: row.offset_db, heightM: row.height_m },
    })),
    plans: (await readPlans(db, orgId)).map(toPlan),
  };
  return { version, world };
}

export async function siteVersion(db: Connection, orgId: number): Promise<number | null> {
  const [site] = await db.any(sql.type(rowsOf<{ version: number }>())`
    select version from location_sites where org_id = ${orgId}`);
  return site?.version ?? null;
}

interface SettingRow {
  location_id: number | null;
  valid_from: number;
  procedure: Setting['by'];
  certainty: number | null;
  tag_dbm: number | null;
  tag_kinds: string | null;
}

interface AntennaRow {
  reader_id: number;
  port: number;
  offset_db: number;
  height_m: number;
}

function kindsOf({ tag_kinds: text }: SettingRow): [string, number][] {
  return text === null ? [] : [...kindsIn(text)].sort(([a], [b]) => b.length - a.length);
}

/** Only the decision is the oracle's own. */
function toPlan({ locationId, places, antennas }: PlanParts): Plan {
  return {
    locationId,
    outlines: places.map((place) => ({
      locationId: place.locationId,
      corners: place.corners.map(({ x, y }) => [x, y] as const),
    })),
    pins: antennas.map(({ readerId, antenna, x, y }) => ({ readerId, antenna, x, y })),
  };
}
