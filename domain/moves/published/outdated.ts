import { greatestOf } from '../../../base/extremes.ts';
import { type FragmentSqlToken, NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';

/** Assets to be published again because they or a location were renamed, or moved in the tree. */
export interface Outdated {
  assetIds: number[];
  /** Call once that is published. */
  done(): Promise<void>;
}

/** The next outdated topics. For a location, a step only marks what is there and directly below. */
export async function readOutdated(
  db: Connection,
  orgId: number,
  { limit }: { limit: number },
): Promise<Outdated> {
  const assets = await db.any(sql.type(rowsOf<{ asset_id: number; mark: number }>())`
    select asset_id, mark from mqtt_outdated where org_id = ${orgId} and location_id = 0 order by asset_id limit ${limit}`);
  if (assets.length > 0) {
    const assetIds = assets.map(({ asset_id: id }) => id);
    const marks = assets.map(({ mark }) => mark);
    return {
      assetIds,
      // A later change has another mark. If it is not committed yet, this waits for it.
      done: async () => {
        await db.exec(sql.type(NO_ROWS)`
          delete from mqtt_outdated
          using unnest(${sql.array(assetIds, 'int4')}, ${sql.array(marks, 'int8')}) as done (asset_id, mark)
          where mqtt_outdated.org_id = ${orgId} and mqtt_outdated.asset_id = done.asset_id
            and mqtt_outdated.location_id = 0 and mqtt_outdated.mark = done.mark`);
      },
    };
  }
  await spreadLocations(db, orgId, limit);
  return { assetIds: [], done: async () => {} };
}

/** Marks in a step for each asset that may be published in one: they are far cheaper. */
const SPREAD = 10;

interface Location {
  location_id: number;
  mark: number;
  /** The last of its assets that was marked, or below zero, once all are, -1 less the last location below. */
  done_after: number;
}

/** Marks the assets at outdated locations, and the locations right below, instead. */
async function spreadLocations(db: Connection, orgId: number, limit: number): Promise<void> {
  const most = SPREAD * limit;
  const locations = await db.any(sql.prepared('next-outdated-locations', rowsOf<Location>())`
    select location_id, mark, done_after from mqtt_outdated
    where org_id = ${orgId} and asset_id = 0 order by location_id limit ${limit}::integer`);
  let marked = 0;
  for (const location of locations) {
    const areAssetsDone = location.done_after < 0;
    const assets = areAssetsDone ? [] : await markAssets(db, orgId, location, most);
    if (assets.length === most) {
      await keepDone(db, orgId, location, greatestOf(assets));
      return;
    }
    const after = areAssetsDone ? -1 - location.done_after : 0;
    const below = await markBelow(db, orgId, location, after, most);
    if (below.length === most) {
      await keepDone(db, orgId, location, -1 - greatestOf(below));
      return;
    }
    await db.exec(sql.prepared('outdated-location-done', NO_ROWS)`
      delete from mqtt_outdated where ${only(orgId, location)}`);
    marked += assets.length + below.length;
    if (marked >= most) {
      return;
    }
  }
}

async function markAssets(
  db: Connection,
  orgId: number,
  { location_id: locationId, done_after: after }: Location,
  most: number,
): Promise<number[]> {
  const rows = await db.any(sql.prepared('mark-assets-there', rowsOf<{ id: number }>())`
    insert into mqtt_outdated (org_id, asset_id)
    select ${orgId}::integer, asset_id
    -- "offset 0" keeps to the index by location: in order of assets, all positions are read to find a few.
    from (
      select asset_id from positions where org_id = ${orgId} and location_id = ${locationId}::integer offset 0
    ) there
    where asset_id > ${after}::integer order by asset_id limit ${most}::integer
    on conflict (org_id, asset_id, location_id) do update set mark = excluded.mark
    returning asset_id as id`);
  return rows.map(({ id }) => id);
}

async function markBelow(
  db: Connection,
  orgId: number,
  { location_id: locationId }: Location,
  after: number,
  most: number,
): Promise<number[]> {
  const rows = await db.any(sql.prepared('mark-locations-below', rowsOf<{ id: number }>())`
    insert into mqtt_outdated (org_id, location_id)
    select ${orgId}::integer, id
    from (select id from locations where org_id = ${orgId} and parent_id = ${locationId}::integer offset 0) below
    where id > ${after}::integer order by id limit ${most}::integer
    on conflict (org_id, asset_id, location_id) do update set mark = excluded.mark, done_after = 0
    returning location_id as id`);
  return rows.map(({ id }) => id);
}

async function keepDone(db: Connection, orgId: number, location: Location, doneAfter: number): Promise<void> {
  await db.exec(sql.prepared('outdated-location-goes-on', NO_ROWS)`
    update mqtt_outdated set done_after = ${doneAfter}::integer where ${only(orgId, location)}`);
}

/** A later change has another mark, and begins again. */
function only(orgId: number, { location_id: locationId, mark }: Location): FragmentSqlToken {
  return sql.fragment`org_id = ${orgId} and asset_id = 0 and location_id = ${locationId}::integer and mark = ${mark}::int8`;
}
