import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { Plan, Setting, World } from '../../../simulation/location/oracle.ts';

export interface StoredWorld {
  /** Rises with each change; null where nothing was ever set. */
  version: number | null;
  /** Null where every scan counts. */
  world: World | null;
}

/** The inputs by which an organization's locations are decided, as the oracle takes them. */
export async function readWorld(db: Connection, orgId: number): Promise<StoredWorld> {
  const version = await siteVersion(db, orgId);
  const settings = await db.any(sql.type(rowsOf<SettingRow>())`
    select location_id, micros_of_time(valid_from) as valid_from, procedure, certainty, tag_dbm
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
      }),
    ),
    antennas: antennas.map((row) => ({
      ...{ readerId: row.reader_id, antenna: row.port, offsetDb: row.offset_db, heightM: row.height_m },
    })),
    plans: await readPlans(db, orgId),
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
}

interface AntennaRow {
  reader_id: number;
  port: number;
  offset_db: number;
  height_m: number;
}

interface PlanRow {
  location_id: number;
  width: number;
  height: number;
  /** JSON text, as are places and pins. */
  scale_points: string;
  scale_metres: number;
  places: string;
  pins: string;
}

/** In metres. */
async function readPlans(db: Connection, orgId: number): Promise<Plan[]> {
  const rows = await db.any(sql.type(rowsOf<PlanRow>())`
    select plan.location_id, plan.width, plan.height, to_json(plan.scale_points)::text as scale_points,
      plan.scale_metres,
      (select coalesce(json_agg(json_build_array(place.location_id, place.points)), '[]')::text
        from plan_places place where place.org_id = plan.org_id and place.plan_id = plan.id) as places,
      (select coalesce(json_agg(json_build_array(pin.reader_id, pin.port, pin.x, pin.y)), '[]')::text
        from plan_antennas pin where pin.org_id = plan.org_id and pin.plan_id = plan.id) as pins
    from plans plan
    where plan.org_id = ${orgId} and plan.scale_metres is not null and plan.location_id is not null`);
  return rows.map((row) => {
    const [x1, y1, x2, y2] = JSON.parse(row.scale_points) as [number, number, number, number];
    const pixel = row.scale_metres / Math.hypot((x2 - x1) * row.width, (y2 - y1) * row.height);
    const metres = (x: number, y: number): [number, number] => [
      x * row.width * pixel,
      y * row.height * pixel,
    ];
    return {
      locationId: row.location_id,
      outlines: (JSON.parse(row.places) as [number, number[]][]).map(([locationId, points]) => ({
        locationId,
        corners: Array.from({ length: points.length / 2 }, (_, index) =>
          metres(points[2 * index] ?? 0, points[2 * index + 1] ?? 0),
        ),
      })),
      pins: (JSON.parse(row.pins) as [number, number, number, number][]).map(
        ([readerId, antenna, left, top]) => {
          const [x, y] = metres(left, top);
          return { readerId, antenna, x, y };
        },
      ),
    };
  });
}
