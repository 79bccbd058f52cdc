import { MICROS_PER_MILLISECOND } from '../../base/instant.ts';
import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { placeLocations, readSite } from '../tracking/location/read-site.ts';

/** Locations where every scan decides, and between which assets flapped within the last day. */
export interface FlappingArea {
  /** The deepest location that all of it is in; null for the organization. */
  location_id: number | null;
  /** The two with most returns. */
  pair: readonly [number, number];
  /** Moves between locations whose deepest common location is this one. */
  moves: number;
  /** Moves among them that returned to where the asset had left at most 30 s before. */
  returns: number;
  /** Other locations with antennas that a setting of this location would hold for. */
  others: readonly number[];
}

/** The newest events of the feed: their assets are examined, in some 0.1 s. */
const MOST_EVENTS = 20_000;

/** Stays to examine: the newest of one asset within the last day, and of all assets together. */
const MOST_OF_ASSET = 2_000;
const MOST_STAYS = 50_000;

/** The most pairs of locations to examine, those with most returns. */
const MOST_PAIRS = 200;

const MOST_AREAS = 3;

/** The most locations with antennas to look for in the areas. */
const MOST_HEARING = 5_000;

/** Fewer returns are taken for chance. */
const LEAST_RETURNS = 10;

/** A share of the moves of an area. */
const LEAST_SHARE = 0.05;

/** Moves of one asset between two locations, each within 5 s of the one before: both hear it. */
const LEAST_QUICK = 10;

/** Where `strength` should be proposed, worst first. */
export async function flappingAreas(db: Connection, orgId: number): Promise<readonly FlappingArea[]> {
  const pairs = await flappingPairs(db, orgId);
  if (pairs.length === 0) {
    return [];
  }
  const site = await readSite(db, orgId);
  const hearing = await hearingLocations(db, orgId);
  await placeLocations(
    db,
    orgId,
    site,
    [...pairs.flatMap(({ a, b }) => [a, b]), ...hearing].map((locationId) => ({ locationId })),
  );
  const now = Date.now() * MICROS_PER_MILLISECOND;
  const isDecidedByEvery = (id: number) => site.settingAt(id, now).procedure === 'every';
  const open = pairs.filter(({ a, b }) => isDecidedByEvery(a) && isDecidedByEvery(b));
  const ofAreas = Map.groupBy(open, ({ a, b }) => deepestCommon(site.above(a), site.above(b)));
  return [...ofAreas]
    .flatMap(([location_id, own]) => {
      const [worst] = own;
      const moves = own.reduce((sum, pair) => sum + pair.moves, 0);
      const returns = own.reduce((sum, pair) => sum + pair.returns, 0);
      const isOften = returns >= LEAST_RETURNS && returns >= LEAST_SHARE * moves;
      const isQuick = own.some(({ quick }) => quick >= LEAST_QUICK);
      return worst !== undefined && (isOften || isQuick) ? [{ location_id, own, worst, moves, returns }] : [];
    })
    .toSorted((a, b) => b.returns - a.returns || b.moves - a.moves)
    .slice(0, MOST_AREAS)
    .map(({ own, worst, ...area }) => {
      const flapping = own.flatMap(({ a, b, ...of }) => (of.returns + of.quick > 0 ? [a, b] : []));
      const isOther = (id: number) =>
        (area.location_id === null || site.above(id).includes(area.location_id)) &&
        isDecidedByEvery(id) &&
        !flapping.includes(id);
      return { ...area, pair: [worst.a, worst.b], others: hearing.filter(isOther) };
    });
}

function deepestCommon(one: readonly number[], other: readonly number[]): number | null {
  return one.find((id) => other.includes(id)) ?? null;
}

async function hearingLocations(db: Connection, orgId: number): Promise<readonly number[]> {
  const rows = await db.any(sql.type(rowsOf<{ id: number }>())`
    select distinct location_id as id from antennas
    where org_id = ${orgId} and location_id is not null and is_enabled
    order by id limit ${MOST_HEARING}`);
  return rows.map(({ id }) => id);
}

interface FlappingPair {
  a: number;
  b: number;
  moves: number;
  returns: number;
  /** The most that one asset made: moves within 5 s of its move before. */
  quick: number;
}

/** From present histories, not from the feed's events, which come in the order of the scans' arrival. */
function flappingPairs(db: Connection, orgId: number): Promise<readonly FlappingPair[]> {
  return db.any(sql.type(rowsOf<FlappingPair>())`
    with moved as materialized (
      select distinct asset_id from moves
      where org_id = ${orgId} and sealed_at >= now() - interval '1 day' and asset_id is not null
        and position > (select head - ${MOST_EVENTS} from move_heads where org_id = ${orgId})
    ), stays as (
      select asset_id, location_id, observed_at from moved cross join lateral (
        select location_id, observed_at from location_transitions
        where org_id = ${orgId} and asset_id = moved.asset_id and observed_at between now() - interval '1 day' and now()
        order by observed_at desc limit ${MOST_OF_ASSET}
      ) stay
      limit ${MOST_STAYS}
    )
    select a, b, sum(moves)::integer as moves, sum(returns)::integer as returns, max(quick)::integer as quick
    from (
      select asset_id, least(location_id, from_id) as a, greatest(location_id, from_id) as b, count(*) as moves,
        count(*) filter (where location_id = before_id and observed_at - since <= interval '30 seconds') as returns,
        count(*) filter (where before_id is not null and observed_at - since <= interval '5 seconds') as quick
      from (
        select asset_id, location_id, observed_at, lag(location_id) over asset as from_id,
          lag(location_id, 2) over asset as before_id, lag(observed_at) over asset as since
        from stays
        window asset as (partition by asset_id order by observed_at)
      ) stay
      where from_id is not null
      group by 1, 2, 3
    ) of_asset
    group by a, b
    order by returns desc, quick desc, moves desc limit ${MOST_PAIRS}`);
}
