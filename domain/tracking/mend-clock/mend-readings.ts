import { leastOf } from '../../../base/extremes.ts';
import type { Micros } from '../../../base/instant.ts';
import type { Client, Pool } from '../../../db/timescale/connections/client.ts';
import { findByIndexes, inTransaction } from '../../../db/timescale/connections/transaction.ts';
import { integers, timestamps } from '../../../db/timescale/queries/array-parameters.ts';
import { type FragmentSqlToken, NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { AssetRef } from '../history/asset-ref.ts';
import { AHEAD_TOLERANCE } from '../observed-at.ts';
import { READING_KINDS } from '../reading-kind.ts';
import { reviseAlerts } from '../revise-alerts.ts';
import { LATER } from './stored-ahead.ts';
import { firstObserved, inWindow, isObservedEarlier, type WrongClock } from './wrong-clock.ts';

/**
 * Condition on `reading`, for one asset. Readings have no time of reception. Wrong are those of scans that were observed
 * earlier, and, if only the wrong clock received data in the window, all whose time a right clock would not have used.
 */
function isWrong({ orgId, assetId }: ReadingsOf, clock: WrongClock): FragmentSqlToken {
  const { from, to, ahead, isAll } = clock;
  const since = Math.max(from, to - ahead + AHEAD_TOLERANCE);
  return sql.fragment`reading.org_id = ${orgId}::integer and reading.asset_id = ${assetId}
    and reading.observed_at >= time_of_micros(${firstObserved(clock)}::bigint)
    and reading.observed_at < time_of_micros(${to + AHEAD_TOLERANCE}::bigint)
    and (
      ${isAll}::boolean and reading.observed_at >= time_of_micros(${since}::bigint)
        and (reading.observed_at < time_of_micros(${to}::bigint) or reading.observed_at > now() + ${interval(LATER)})
      or exists (
        select from scan_events
        where ${inWindow(orgId, clock)} and asset_id = reading.asset_id and observed_at = reading.observed_at
          and ${isObservedEarlier(clock)}
      )
    )`;
}

interface ReadingsOf {
  orgId: number;
  assetId: FragmentSqlToken;
}

function interval(duration: Micros): FragmentSqlToken {
  return sql.fragment`${duration}::bigint * interval '1 microsecond'`;
}

const OF_EACH = sql.fragment`asset.id`;

/** Asset by asset, as the readings' index is. */
export async function countWrongReadings(db: Connection, orgId: number, clock: WrongClock): Promise<number> {
  const { count } = await db.one(sql.type(rowsOf<{ count: number }>())`
    select count(*) as count from assets asset
    join tag_readings reading on ${isWrong({ orgId, assetId: OF_EACH }, clock)}
    where asset.org_id = ${orgId}::integer`);
  return count;
}

/** When the newest reading was received at the earliest, if at `from` or later; null if there is none. */
export async function newestReading(db: Connection, orgId: number, from: Micros): Promise<Micros | null> {
  const { at } = await db.one(sql.type(rowsOf<{ at: Micros | null }>())`
    select micros_of_time(max(newest.observed_at)) - ${AHEAD_TOLERANCE}::bigint as at
    from assets asset
    cross join lateral (
      select observed_at from tag_readings
      where org_id = asset.org_id and asset_id = asset.id
        and observed_at >= time_of_micros(${from + AHEAD_TOLERANCE}::bigint)
      order by observed_at desc limit 1
    ) newest
    where asset.org_id = ${orgId}::integer`);
  return at;
}

/**
 * Redates an organization's readings of a wrong clock, and the newest values of their tags. All by as much as the clock was
 * ahead, so that those of one message stay apart. Call it before the scans are redated, as they tell which readings are wrong.
 *
 * @returns `isFinished` is false if it was aborted.
 */
export async function mendReadings(
  pool: Pool,
  orgId: number,
  clock: WrongClock,
  signal: AbortSignal | undefined,
): Promise<{ readings: number; isFinished: boolean }> {
  let readings = 0;
  for (let after: number | undefined = 0; after !== undefined; ) {
    const assets: readonly { id: number }[] = await pool.any(sql.type(rowsOf<{ id: number }>())`
      select asset.id from assets asset
      where asset.org_id = ${orgId}::integer and asset.id > ${after}::integer
        and exists (select from tag_readings reading where ${isWrong({ orgId, assetId: OF_EACH }, clock)})
      order by asset.id limit 500`);
    for (const { id: assetId } of assets) {
      for (let mended = PIECE; mended === PIECE; readings += mended) {
        if (signal?.aborted === true) {
          return { readings, isFinished: false };
        }
        mended = await inTransaction(pool, (client) => mendPiece(client, { orgId, assetId }, clock));
      }
    }
    after = assets.at(-1)?.id;
  }
  return { readings, isFinished: true };
}

/** Readings in a transaction. */
const PIECE = 1_000;

/** @returns how many it redated. */
async function mendPiece(client: Client, asset: AssetRef, clock: WrongClock): Promise<number> {
  await findByIndexes(client);
  const mended = await measureEarlier(client, asset, clock);
  if (mended.length > 0) {
    await renewNewest(client, asset, mended);
    await reviseAlerts(client, [
      { ...asset, since: leastOf(mended.map(({ before }) => before)) - clock.ahead - 1 },
    ]);
  }
  return mended.length;
}

interface MendedReading {
  tag_id: number;
  before: Micros;
}

const KINDS = sql.fragment`${sql.join(
  READING_KINDS.map((kind) => sql.identifier([kind])),
  sql.fragment`, `,
)}`;

/** The earliest first. Deleted and written again, as a hypertable moves no rows between its chunks. */
async function measureEarlier(
  db: Connection,
  { orgId, assetId }: AssetRef,
  clock: WrongClock,
): Promise<readonly MendedReading[]> {
  const greatest = READING_KINDS.map((kind) => {
    const name = sql.identifier([kind]);
    return sql.fragment`${name} = greatest(known.${name}, excluded.${name})`;
  });
  return db.any(sql.type(rowsOf<MendedReading>())`
    with wrong as materialized (
      select tableoid as part, ctid as row from tag_readings reading
      where ${isWrong({ orgId, assetId: sql.fragment`${assetId}::integer` }, clock)}
      order by observed_at, tag_id limit ${PIECE}::integer
    ), gone as (
      delete from tag_readings using wrong
      where tag_readings.ctid = wrong.row and tag_readings.tableoid = wrong.part
      returning tag_readings.*
    ), written as (
      insert into tag_readings as known (org_id, asset_id, tag_id, observed_at, ${KINDS})
      select org_id, asset_id, tag_id, observed_at - ${interval(clock.ahead)}, ${KINDS}
      from gone order by observed_at, tag_id
      on conflict (org_id, asset_id, observed_at, tag_id) do update set ${sql.join(greatest, sql.fragment`, `)}
    )
    select tag_id, micros_of_time(observed_at) as before from gone`);
}

/** Looks up the newest values of tags that a mended reading had said. */
async function renewNewest(
  db: Connection,
  { orgId, assetId }: AssetRef,
  mended: readonly MendedReading[],
): Promise<void> {
  const tagIds = sql.array([...new Set(mended.map(({ tag_id }) => tag_id))], 'int4');
  // A recorder's readings either are visible to the next statement, or it waits here and compares with what that wrote.
  await db.any(sql.type(rowsOf<{ tag_id: number }>())`
    select tag_id from newest_readings where org_id = ${orgId}::integer and tag_id = any(${tagIds})
    order by tag_id for update`);
  const renewed = READING_KINDS.map((kind) => {
    const [value, at] = [sql.identifier([kind]), sql.identifier([`${kind}_at`])];
    const isMended = sql.fragment`(newest.${at} is not null and newest.${at} = any(mended.times))`;
    return sql.fragment`(${value}, ${at}) = (
      select newest.${value}, newest.${at} where not ${isMended}
      union all (
        select reading.${value}, reading.observed_at from tag_readings reading
        where ${isMended} and reading.org_id = newest.org_id and reading.asset_id = ${assetId}::integer
          and reading.tag_id = newest.tag_id and reading.${value} is not null
        order by reading.observed_at desc limit 1
      ))`;
  });
  await db.exec(sql.type(NO_ROWS)`
    update newest_readings newest set ${sql.join(renewed, sql.fragment`, `)}
    from (
      select tag_id, array_agg(before) as times
      from unnest(${sql.binary(integers(mended.map(({ tag_id }) => tag_id)))}::integer[],
        ${sql.binary(timestamps(mended.map(({ before }) => before)))}::timestamptz[]) as given (tag_id, before)
      group by tag_id
    ) mended
    where newest.org_id = ${orgId}::integer and newest.tag_id = mended.tag_id`);
}
