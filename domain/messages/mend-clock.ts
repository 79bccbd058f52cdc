import { greatestOf } from '../../base/extremes.ts';
import { MICROS_PER_SECOND, type Micros } from '../../base/instant.ts';
import { wireTimeOfMicros } from '../../base/timestamps.ts';
import type { Pool } from '../../db/timescale/connections/client.ts';
import { databaseOn } from '../../db/timescale/connections/database.ts';
import { inTransaction } from '../../db/timescale/connections/transaction.ts';
import { type FragmentSqlToken, NO_ROWS, rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import type { Actor } from '../changes/actor.ts';
import { changed, makeChange } from '../changes/make-change.ts';
import { countWrong, newestScan, type WrongScans } from '../tracking/mend-clock/count-wrong.ts';
import { type MendedSoFar, type Mending, mendHistories } from '../tracking/mend-clock/mend-histories.ts';
import { countWrongReadings, mendReadings, newestReading } from '../tracking/mend-clock/mend-readings.ts';
import { receivedEarlier, type WrongClock } from '../tracking/mend-clock/wrong-clock.ts';
import { mendHeard, readersHeard } from './mend-heard.ts';

/** An organization's rows of a wrong clock. */
export interface WrongRows {
  scans: WrongScans;
  /** What tags measured. */
  readings: number;
  /** Remembered, so that a redelivery keeps the first time of reception. */
  receivedMessages: number;
  /** A replay dates these by their reception. */
  rejectedMessages: number;
  /** From handhelds; none if a right clock may have received some. */
  submissions: number;
  sweeps: number;
  retractions: number;
  /** Readers that were heard, or connected, by the wrong clock. */
  readers: number;
}

export async function countWrongRows(db: Connection, orgId: number, clock: WrongClock): Promise<WrongRows> {
  const sent = sql.fragment`${receivedIn(orgId, clock)} and ${clock.isAll}::boolean`;
  const row = await db.one(sql.type(rowsOf<MessagesRow>())`
    select (select count(*) from received_messages where ${receivedIn(orgId, clock)}) as received,
      (select count(*) from rejected_messages where ${receivedIn(orgId, clock)}) as rejected,
      (select count(*) from submissions where ${sent}) as submissions,
      (select count(*) from sweeps where ${sent}) as sweeps,
      (select count(*) from retractions where ${sent}) as retractions`);
  const readers = await readersHeard(db, orgId, clock);
  const { received: receivedMessages, rejected: rejectedMessages, ...others } = row;
  const scans = await countWrong(db, orgId, clock);
  const readings = await countWrongReadings(db, orgId, clock);
  return { scans, readings, receivedMessages, rejectedMessages, ...others, readers: readers.length };
}

interface MessagesRow {
  received: number;
  rejected: number;
  submissions: number;
  sweeps: number;
  retractions: number;
}

export function isAnyWrong({ scans, ...others }: WrongRows): boolean {
  const { moved, of_fast_devices: fast, of_handhelds: sent, stayed } = scans;
  return [moved, fast, sent, stayed, ...Object.values(others)].some((count) => count > 0);
}

/** The reception of the newest row that {@link countWrongRows} counts, at `from` or later; null if there is none. */
export async function newestReceived(db: Connection, orgId: number, from: Micros): Promise<Micros | null> {
  const { at } = await db.one(sql.type(rowsOf<{ at: Micros | null }>())`
    select micros_of_time(greatest(
      (select max(received_at) from received_messages where ${receivedSince(orgId, from)}),
      (select max(received_at) from rejected_messages where ${receivedSince(orgId, from)}),
      (select max(received_at) from submissions where ${receivedSince(orgId, from)}),
      (select max(received_at) from sweeps where ${receivedSince(orgId, from)}),
      (select max(received_at) from retractions where ${receivedSince(orgId, from)}),
      (
        select max(heard_until) from reader_counters
        where org_id = ${orgId}::integer and heard_until >= time_of_micros(${from}::bigint)
      )
    )) as at`);
  const found = [at, await newestScan(db, orgId, from), await newestReading(db, orgId, from)];
  const times = found.filter((time) => time !== null);
  return times.length === 0 ? null : greatestOf(times);
}

/**
 * Redates an organization's rows that a wrong clock wrote, in pieces, after logging it: messages first, so that a
 * redelivery meanwhile is recorded with the right time. A restart continues.
 *
 * @returns `isFinished` is false if it was aborted.
 */
export async function mendClock(
  pool: Pool,
  actor: Actor,
  orgId: number,
  clock: WrongClock,
  mending: Mending,
): Promise<MendedSoFar & { readings: number; isFinished: boolean }> {
  await makeChange(databaseOn(pool), actor, async () =>
    changed(undefined, [
      {
        orgId,
        action: 'mend_clock',
        resource: { type: 'organization', id: orgId },
        before: null,
        after: {
          received_from: wireTimeOfMicros(clock.from),
          received_to: wireTimeOfMicros(clock.to),
          ahead_seconds: clock.ahead / MICROS_PER_SECOND,
          is_all: clock.isAll,
        },
      },
    ]),
  );
  await mendMessages(pool, orgId, clock);
  if (clock.isAll) {
    await mendSent(pool, orgId, clock);
  }
  await mendHeard(pool, orgId, clock);
  const { readings, isFinished } = await mendReadings(pool, orgId, clock, mending.signal);
  return isFinished
    ? { ...(await mendHistories(pool, orgId, clock, mending)), readings }
    : { assets: 0, scans: 0, readings, isFinished };
}

/** Messages in a transaction. */
const PIECE = 5_000;

async function mendMessages(pool: Pool, orgId: number, clock: WrongClock): Promise<void> {
  const mendReceived = sql.type(NO_ROWS)`
    update received_messages message set received_at = ${receivedEarlier(clock)}
    from (
      select digest from received_messages where ${receivedIn(orgId, clock)}
      order by digest limit ${PIECE} for update
    ) wrong
    where message.org_id = ${orgId}::integer and message.digest = wrong.digest`;
  const mendRejected = sql.type(NO_ROWS)`
    update rejected_messages message set received_at = ${receivedEarlier(clock)}
    from (
      select id from rejected_messages where ${receivedIn(orgId, clock)} order by id limit ${PIECE} for update
    ) wrong
    where message.id = wrong.id`;
  for (const mend of [mendReceived, mendRejected]) {
    for (let mended = PIECE; mended > 0; ) {
      mended = await inTransaction(pool, (client) => client.exec(mend));
    }
  }
}

/** Few beside scans: one for each round of a person. */
async function mendSent(pool: Pool, orgId: number, clock: WrongClock): Promise<void> {
  const by = sql.fragment`${clock.ahead}::bigint * interval '1 microsecond'`;
  await inTransaction(pool, async (client) => {
    for (const table of ['submissions', 'retractions']) {
      await client.exec(sql.type(NO_ROWS)`
        update ${sql.identifier([table])} set received_at = ${receivedEarlier(clock)}
        where ${receivedIn(orgId, clock)}`);
    }
    // Written again, since alerts are derived again from an inserted row on.
    await client.exec(sql.type(NO_ROWS)`
      with gone as (delete from sweeps where ${receivedIn(orgId, clock)} returning *)
      insert into sweeps (org_id, id, handheld_id, body_sha256, received_at, location_id, began_at, ended_at,
        include_descendants, expected, found, moved_here, missing, unknown, unknown_tags)
      select org_id, id, handheld_id, body_sha256, received_at - ${by}, location_id, began_at - ${by}, ended_at - ${by},
        include_descendants, expected, found, moved_here, missing, unknown, unknown_tags from gone`);
  });
}

function receivedIn(orgId: number, { from, to }: WrongClock): FragmentSqlToken {
  return sql.fragment`${receivedSince(orgId, from)} and received_at < time_of_micros(${to}::bigint)`;
}

function receivedSince(orgId: number, from: Micros): FragmentSqlToken {
  return sql.fragment`org_id = ${orgId}::integer and received_at >= time_of_micros(${from}::bigint)`;
}
