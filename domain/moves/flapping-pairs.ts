import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';

/** Two locations between which assets went to and fro. */
export interface FlappingPair {
  location_id: number;
  other_location_id: number;
  /** In both directions. */
  moves: number;
  assets: number;
}

/** The newest events that are looked at, by their positions, which have no gaps: 20,000 take some 20 ms. */
const MOST_EVENTS = 20_000;

const MOST_PAIRS = 5;

/**
 * The pairs with most moves there and back within a day, worst first. An event of the feed counts as one move, also where it
 * tells of several.
 */
export function flappingPairs(db: Connection, orgId: number): Promise<readonly FlappingPair[]> {
  return db.any(sql.type(rowsOf<FlappingPair>())`
    select pair.location_id, pair.other_location_id, pair.there + pair.back as moves, pair.assets
    from (
      select least(location_id, previous_location_id) as location_id,
        greatest(location_id, previous_location_id) as other_location_id,
        count(*) filter (where location_id > previous_location_id) as there,
        count(*) filter (where location_id < previous_location_id) as back,
        count(distinct asset_id) as assets
      from (
        select asset_id, location_id, previous_location_id from moves
        where org_id = ${orgId} and sealed_at >= now() - interval '1 day'
          and position > (select head - ${MOST_EVENTS} from move_heads where org_id = ${orgId})
      ) latest
      where location_id <> previous_location_id
      group by 1, 2
    ) pair
    where least(pair.there, pair.back) > 1
    order by least(pair.there, pair.back) desc, moves desc limit ${MOST_PAIRS}`);
}
