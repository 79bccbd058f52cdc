import type { Micros } from '../../../base/instant.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import {
  firstObserved,
  inWindow,
  isObservedEarlier,
  isReceivedEarlier,
  receivedEarlier,
  type WrongClock,
} from './wrong-clock.ts';

/** An organization's scans in the window. */
export interface WrongScans {
  /** Dated by their reception, so that they were observed earlier. */
  moved: number;
  /** As {@link moved}, because a right clock would not have used the times of their devices. */
  of_fast_devices: number;
  /** Only their reception was earlier. */
  stayed: number;
  assets: number;
  /** Received by a right clock, as their devices' times say. */
  right: number;
  of_handhelds: number;
}

export function countWrong(db: Connection, orgId: number, clock: WrongClock): Promise<WrongScans> {
  return db.one(sql.type(rowsOf<WrongScans>())`
    select count(*) filter (where moves and time_is_received) as moved,
      count(*) filter (where moves and not time_is_received) as of_fast_devices,
      count(*) filter (where stays) as stayed,
      count(distinct asset_id) filter (where moves or stays) as assets,
      count(*) filter (where not (moves or stays) and reader_id is not null) as "right",
      count(*) filter (where reader_id is null) as of_handhelds
    from (
      select *, ${isObservedEarlier(clock)} as moves, ${isReceivedEarlier(clock)} as stays
      from scan_events where ${inWindow(orgId, clock)}
    ) scan`);
}

export interface WrongExample {
  asset: string;
  reader: string;
  observed_at: Micros;
  /** As it is dated anew. */
  becomes: Micros;
}

/** Some that move, the earliest first. */
export async function wrongExamples(
  db: Connection,
  orgId: number,
  clock: WrongClock,
): Promise<readonly WrongExample[]> {
  return db.any(sql.type(rowsOf<WrongExample>())`
    select asset.external_key as asset, reader.name as reader, micros_of_time(scan.observed_at) as observed_at,
      micros_of_time(scan.becomes) as becomes
    from (
      select *, ${receivedEarlier(clock)} as becomes
      from scan_events where ${inWindow(orgId, clock)} and ${isObservedEarlier(clock)}
      order by observed_at limit 3
    ) scan
    join assets asset on asset.org_id = scan.org_id and asset.id = scan.asset_id
    join readers reader on reader.org_id = scan.org_id and reader.id = scan.reader_id
    order by scan.observed_at`);
}

/** When the newest scan of a reader was received, of those received at `from` or later; null if there is none. */
export async function newestScan(db: Connection, orgId: number, from: Micros): Promise<Micros | null> {
  const { at } = await db.one(sql.type(rowsOf<{ at: Micros | null }>())`
    select micros_of_time(max(received_at)) as at from scan_events
    where org_id = ${orgId}::integer and reader_id is not null
      and observed_at >= time_of_micros(${firstObserved({ from, ahead: 0 })}::bigint)
      and received_at >= time_of_micros(${from}::bigint)`);
  return at;
}
