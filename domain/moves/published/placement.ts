import type { Micros } from '../../../base/instant.ts';
import { fromDatabase, toMicros, wireTime } from '../../../base/timestamps.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';

/** Where an asset is, or was at an event, with present names. */
export interface Placement {
  assetId: number;
  externalKey: string;
  name: string;
  isDeleted: boolean;
  /** When it was recorded; null if that was before the feed began. */
  toldAt: Micros | null;
  /** Null if the asset is nowhere. */
  stay: { location: PlacedLocation; since: string } | null;
}

export interface PlacedLocation {
  location_id: number;
  external_key: string;
  name: string;
  /** From the root to the location; in a deep tree the nearest {@link MOST_LEVELS}, or {@link MOST_PATH} characters. */
  path: readonly { external_key: string; name: string }[];
}

export interface PlacementRow {
  asset_id: number;
  external_key: string;
  name: string;
  is_deleted: boolean;
  told_at: string | null;
  location_id: number | null;
  since: string | null;
}

export async function toPlacements(
  db: Connection,
  orgId: number,
  rows: readonly PlacementRow[],
): Promise<Placement[]> {
  const ids = new Set(rows.flatMap(({ location_id: id }) => (id === null ? [] : [id])));
  const locations = await readLocations(db, orgId, [...ids]);
  return rows.map((row) => {
    const location = row.location_id === null ? undefined : locations.get(row.location_id);
    return {
      assetId: row.asset_id,
      externalKey: row.external_key,
      name: row.name,
      isDeleted: row.is_deleted,
      toldAt: row.told_at === null ? null : toMicros(fromDatabase(row.told_at)),
      stay: location === undefined || row.since === null ? null : { location, since: wireTime(row.since) },
    };
  });
}

async function readLocations(
  db: Connection,
  orgId: number,
  ids: readonly number[],
): Promise<Map<number, PlacedLocation>> {
  if (ids.length === 0) {
    return new Map();
  }
  const rows = await db.any(sql.type(rowsOf<{ of: number; path: string }>())`
    with recursive up as (
      select id as of, parent_id, external_key, name, 0 as height
      from locations where org_id = ${orgId} and id = any (${sql.array(ids, 'int4')})
      union all
      select up.of, parent.parent_id, parent.external_key, parent.name, up.height + 1
      from up join locations parent on parent.org_id = ${orgId} and parent.id = up.parent_id
      where up.height < ${MOST_LEVELS - 1}
    )
    select of, json_agg(json_build_object('external_key', external_key, 'name', name) order by height desc) as path
    from up group by of`);
  return new Map(
    rows.map(({ of, path: text }) => {
      const path = nearest(JSON.parse(text));
      const own = path.at(-1) as PlacedLocation['path'][number];
      return [of, { location_id: of, external_key: own.external_key, name: own.name, path }];
    }),
  );
}

/** The end of a path: every message about an asset has it. */
function nearest(path: PlacedLocation['path']): PlacedLocation['path'] {
  let length = 0;
  const above = path.findLastIndex(({ external_key: key, name }, index) => {
    length += key.length + name.length;
    return length > MOST_PATH && index < path.length - 1;
  });
  return path.slice(above + 1);
}

const MOST_LEVELS = 64;

/** Length of keys and names together. */
const MOST_PATH = 4_096;
