import type { Micros } from '../../../base/instant.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import {
  firstObserved,
  inWindow,
  isObservedEarlier,
  isReceivedEarlier,
  observedEarlier,
  type WrongClock,
} from './wrong-clock.ts';

/** An organization's scans in the window. */
export interface WrongScans {
  /** Dated by their reception, so that they were observed earlier. */
  moved: number;
  /** As {@link moved}, because a right clock would not have used their device times. */
  of_fast_devices: number;
  /** Of handhelds, whose clocks are corrected by ours: observed earlier. */
  of_handhelds: number;
  /** Only their reception was earlier. */
  stayed: number;
  assets: number;
  /** Received by a right clock, as their devices' times say. */
  right: number;
  /** Of handhelds; a right clock may have received some of them. */
  handhelds_left: number;
}

export function countWrong(db: Connection, orgId: number, clock: WrongClock): Promise<WrongScans> {
  return db.one(sql.type(rowsOf<WrongScans>())`
    select count(*) filter (where moves and reader_id is not null and time_is_received) as moved,
      count(*) filter (where moves and reader_id is not null and not time_is_received) as of_fast_devices,
      count(*) filter (where moves and reader_id is null) as of_handhelds,
      count(*) filter (where stays) as stayed,
      count(distinct asset_id) filter (where moves or stays) as assets,
      count(*) filter (where not (moves or stays) and reader_id is not null) as "right",
      count(*) filter (where reader_id is null and not moves) as handhelds_left
    from (
      select *, ${isObservedEarlier(clock)} as moves, ${isReceivedEarlier(clock)} as stays
      from scan_events where ${inWindow(orgId, clock)}
    ) scan`);
}

export interface WrongExample {
  asset: string;
  /** Name of the reader or handheld. */
  reader: string;
  observed_at: Micros;
  /** As it is dated again. */
  becomes: Micros;
}

/** Some that move, the earliest first. */
export async function wrongExamples(
  db: Connection,
  orgId: number,
  clock: WrongClock,
): Promise<readonly WrongExample[]> {
  return db.any(sql.type(rowsOf<WrongExample>())`
    select asset.external_key as asset, coalesce(reader.name, handheld.name) as reader, micros_of_time(scan.observed_at) as observed_at,
      micros_of_time(scan.becomes) as becomes
    from (
      select *, ${observedEarlier(clock)} as becomes
      from scan_events where ${inWindow(orgId, clock)} and ${isObservedEarlier(clock)}
      order by observed_at limit 3
    ) scan
    join assets asset on asset.org_id = scan.org_id and asset.id = scan.asset_id
    left join readers reader on reader.org_id = scan.org_id and reader.id = scan.reader_id
    left join handhelds handheld on handheld.org_id = scan.org_id and handheld.id = scan.handheld_id
    order by scan.observed_at`);
}

/** The reception of the newest scan received at `from` or later; null if there is none. */
export async function newestScan(db: Connection, orgId: number, from: Micros): Promise<Micros | null> {
  const { at } = await db.one(sql.type(rowsOf<{ at: Micros | null }>())`
    select micros_of_time(max(received_at)) as at from scan_events
    where org_id = ${orgId}::integer
      and observed_at >= time_of_micros(${firstObserved({ from, ahead: 0 })}::bigint)
      and received_at >= time_of_micros(${from}::bigint)`);
  return at;
}
