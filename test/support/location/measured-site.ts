import { MICROS_PER_MILLISECOND } from '../../../base/instant.ts';
import type { Scan } from '../../../domain/tracking/scan.ts';
import { encodePng } from '../png.ts';
import { type Rows, Site } from '../site.ts';
import type { Moment } from './figures.ts';
import { type Measured, type MeasuredRead, type Moves, PROCEDURES, type Procedure } from './measured.ts';

/** An organization for what was measured: a hall that is divided in one way and decides by one procedure. */
export interface MeasuredSite {
  orgId: number;
  /** By the reader's name in the data. */
  readers: ReadonlyMap<string, MeasuredReader>;
  /** By tag. */
  assets: ReadonlyMap<string, { id: number; value: string }>;
  /** Its names, by id. */
  locations: ReadonlyMap<number, string>;
}

export interface MeasuredReader {
  id: number;
  /** Its topic, user name and password. */
  name: string;
  /** By port. */
  locationIds: ReadonlyMap<number, number>;
}

/** A site for each division and procedure, by their names in `expected.json`. */
export async function installAll(
  database: Rows,
  measured: Pick<Measured, 'plan' | 'reads'>,
): Promise<Map<string, MeasuredSite>> {
  const sites = new Map<string, MeasuredSite>();
  for (const division of Object.keys(measured.plan.zonings)) {
    for (const procedure of PROCEDURES) {
      sites.set(`${division} ${procedure}`, await installMeasured(database, measured, division, procedure));
    }
  }
  return sites;
}

/** Sets a site up by plain SQL, so that no code under test stands behind it. */
export async function installMeasured(
  database: Rows,
  measured: Pick<Measured, 'plan' | 'reads'>,
  division: string,
  procedure: Procedure,
): Promise<MeasuredSite> {
  const { plan, reads } = measured;
  const site = await Site.create(database, `${division} ${procedure}`);
  const { orgId } = site;
  const hall = await site.location('hall');
  const locations = new Map<string, number>();
  for (const { location } of plan.zonings[division] ?? []) {
    locations.set(location, await site.location(location, hall));
  }
  const readers = new Map<string, MeasuredReader>();
  for (const [reader, antennas] of Map.groupBy(plan.antennas, (each) => each.reader)) {
    const name = `${orgId}-${reader}`;
    const locationIds = new Map(
      antennas.map((each) => [each.antenna, locations.get(each.locations[division] ?? '') ?? 0]),
    );
    const ports = Array.from({ length: Math.max(...locationIds.keys()) }, (_, index) => index + 1);
    const id = await site.reader(
      name,
      ports.map((port) => locationIds.get(port) ?? null),
    );
    readers.set(reader, { id, name, locationIds });
  }
  const assets = new Map<string, { id: number; value: string }>();
  for (const [index, tag] of [...reads.keys()].entries()) {
    const value = `C3${String(index).padStart(10, '0')}`;
    assets.set(tag, { id: await site.asset(value, value, 'ble'), value });
  }
  await drawPlan(database, measured, division, { orgId, hall, locations, readers });
  await database.rows(
    `insert into location_settings (org_id, valid_from, procedure, certainty) values ($1, '2000-01-01', $2, 1)`,
    [orgId, procedure],
  );
  return {
    ...{ orgId, readers, assets },
    locations: new Map([...locations].map(([name, id]) => [id, name])),
  };
}

/** The image is as many pixels as metres, a power of two, so that shares of it are exact metres. */
async function drawPlan(
  database: Rows,
  { plan }: Pick<Measured, 'plan'>,
  division: string,
  made: {
    orgId: number;
    hall: number;
    locations: ReadonlyMap<string, number>;
    readers: ReadonlyMap<string, MeasuredReader>;
  },
): Promise<void> {
  const { orgId, hall, locations, readers } = made;
  const side = 2 ** Math.ceil(Math.log2(Math.max(plan.metres.width, plan.metres.depth)));
  const image = encodePng({
    ...{ width: side, height: side, palette: [[255, 255, 255]] },
    pixels: new Uint8Array(side * side),
  });
  const [drawn] = await database.rows<{ id: number }>(
    `insert into plans (org_id, location_id, name, media_type, width, height, image, sha256, scale_points, scale_metres)
     values ($1, $2, 'Hall', 'image/png', $3::integer, $3::integer, $4, sha256($4), '{0,0,1,0}', $3::integer) returning id`,
    [orgId, hall, side, image],
  );
  for (const { location, polygon } of plan.zonings[division] ?? []) {
    await database.rows(
      'insert into plan_places (org_id, plan_id, location_id, points) values ($1, $2, $3, $4)',
      [orgId, drawn?.id, locations.get(location), polygon.flat().map((metres) => metres / side)],
    );
  }
  for (const { reader, antenna, x, y } of plan.antennas) {
    await database.rows(
      'insert into plan_antennas (org_id, plan_id, reader_id, port, x, y) values ($1, $2, $3, $4, $5, $6)',
      [orgId, drawn?.id, readers.get(reader)?.id, antenna, x / side, y / side],
    );
  }
}

/** A read as ingestion makes it, received when it was made. */
export function scanOf(
  { orgId, readers, assets }: MeasuredSite,
  tag: string,
  { at, reader, antenna, rssi }: MeasuredRead,
): Scan {
  const { id: readerId, locationIds } = readers.get(reader) ?? { id: 0, locationIds: new Map() };
  return {
    orgId,
    tagType: 'ble',
    value: assets.get(tag)?.value ?? '',
    locationId: locationIds.get(antenna) ?? null,
    deviceTime: at,
    receivedAt: at,
    rssi,
    source: {
      kind: 'reader',
      readerId,
      antenna,
      isShutOut: false,
      reportUnknown: false,
      isRedelivery: false,
    },
  };
}

/** All histories. */
export async function storedMoves(
  database: Rows,
  { orgId, assets, locations }: MeasuredSite,
): Promise<Moves> {
  const rows = await database.rows<{ asset_id: number; at: number; location_id: number }>(
    `select asset_id, micros_of_time(observed_at)::float8 as at, location_id from location_transitions
     where org_id = $1 order by asset_id, observed_at`,
    [orgId],
  );
  const histories = Map.groupBy(rows, (row) => row.asset_id);
  return Object.fromEntries(
    [...assets].map(([tag, { id }]) => [
      tag,
      (histories.get(id) ?? []).map((row): Moves[string][number] => [
        new Date(row.at / MICROS_PER_MILLISECOND).toISOString(),
        locations.get(row.location_id) ?? '',
      ]),
    ]),
  );
}

/** By tag: what is said of each asset now. Those that were never anywhere are left out. */
export async function storedMoments(
  database: Rows,
  { orgId, assets, locations }: MeasuredSite,
): Promise<Map<string, Moment>> {
  const rows = await database.rows<{
    asset_id: number;
    location_id: number | null;
    x: number | null;
    y: number | null;
  }>('select asset_id, location_id, position_x as x, position_y as y from positions where org_id = $1', [
    orgId,
  ]);
  const known = new Map(rows.map((row) => [row.asset_id, row]));
  return new Map(
    [...assets].flatMap(([tag, { id }]) => {
      const row = known.get(id);
      return row === undefined
        ? []
        : [
            [
              tag,
              {
                location: row.location_id === null ? null : (locations.get(row.location_id) ?? null),
                position: row.x === null || row.y === null ? null : { x: row.x, y: row.y },
              },
            ] as const,
          ];
    }),
  );
}
