import { greatestOf } from '../../base/extremes.ts';
import { MICROS_PER_SECOND, type Micros } from '../../base/instant.ts';
import { wireTimeOfMicros } from '../../base/timestamps.ts';
import type { Client, Pool } from '../../db/timescale/connections/client.ts';
import { databaseOn } from '../../db/timescale/connections/database.ts';
import { inTransaction } from '../../db/timescale/connections/transaction.ts';
import { type FragmentSqlToken, NO_ROWS, rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import type { Actor } from '../changes/actor.ts';
import { changed, makeChange } from '../changes/make-change.ts';
import { countWrong, newestScan, type WrongScans } from '../tracking/mend-clock/count-wrong.ts';
import { type MendedSoFar, type Mending, mendHistories } from '../tracking/mend-clock/mend-histories.ts';
import { countWrongReadings, mendReadings, newestReading } from '../tracking/mend-clock/mend-readings.ts';
import {
  inWindow,
  isReceivedEarlier,
  receivedEarlier,
  type WrongClock,
} from '../tracking/mend-clock/wrong-clock.ts';
import { AHEAD_TOLERANCE } from '../tracking/observed-at.ts';
import {
  delaysOf,
  HEARD_GAP,
  type HeardStretch,
  joinDelays,
  lastInTime,
  lastLate,
  type Timing,
} from './heard-stretches.ts';

/** Readers whose scans in the window are held at once: each took a message a second, or fewer. */
const READERS_AT_ONCE = 20;

/** How far back the last message before is looked for. */
const LOOK_BACK: Micros = 3_600 * MICROS_PER_SECOND;

interface TimingRow {
  reader_id: number;
  received_at: Micros;
  read_at: Micros;
}

interface CountedRow {
  is_wrong: boolean | null;
  heard_since: Micros | null;
  heard_until: Micros | null;
  heard_messages: number | null;
}

/** An organization's rows of a wrong clock. */
export interface WrongRows {
  scans: WrongScans;
  /** Readings of tags. */
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

/** Readers of an organization that a wrong clock heard, or saw connect or leave. */
async function readersHeard(db: Connection, orgId: number, clock: WrongClock): Promise<number[]> {
  const during = (time: FragmentSqlToken) => isDuring(time, clock);
  const rows = await db.any(sql.type(rowsOf<{ reader_id: number }>())`
    select reader_id from reader_counters where org_id = ${orgId}::integer
      and (${during(sql.fragment`heard_until`)} or ${during(sql.fragment`last_message_at`)})
    union
    select reader_id from reader_spans where org_id = ${orgId}::integer and state <> 'silent'
      and (${during(sql.fragment`started_at`)} or ${during(sql.fragment`ended_at`)})
    union
    select reader_id from reader_connections where org_id = ${orgId}::integer
      and ${during(sql.fragment`connected_at`)}
    union
    select reader_id from reader_delays where org_id = ${orgId}::integer and ${during(sql.fragment`ended_at`)}
    union
    select reader_id from reader_proofs where org_id = ${orgId}::integer and ${during(sql.fragment`learned_at`)}
    order by reader_id`);
  return rows.map((row) => row.reader_id);
}

/**
 * Redates when a wrong clock heard readers, and saw them connect and leave; silences are derived again. One transaction
 * per reader, so it may be interrupted and restarted.
 */
async function mendHeard(pool: Pool, orgId: number, clock: WrongClock): Promise<void> {
  const readerIds = await readersHeard(pool, orgId, clock);
  for (let start = 0; start < readerIds.length; start += READERS_AT_ONCE) {
    const some = readerIds.slice(start, start + READERS_AT_ONCE);
    const timings = await mendedTimings(pool, orgId, some, clock);
    for (const readerId of some) {
      const own = timings.get(readerId) ?? [];
      await inTransaction(pool, async (client) => {
        await mendReader(client, { orgId, readerId }, clock);
        await mendDelays(client, { orgId, readerId, timings: own }, clock);
      });
    }
  }
  await inTransaction(pool, (client) =>
    client.exec(sql.type(NO_ROWS)`
      update intake_watches set started_at = ${earlier(sql.fragment`started_at`, clock)},
        ended_at = ${earlier(sql.fragment`ended_at`, clock)}
      where ${isDuring(sql.fragment`ended_at`, clock)}`),
  );
}

/** By a right clock. */
function beginningOf({ from, ahead }: WrongClock): Micros {
  return from - ahead;
}

/**
 * The reception of messages under the wrong clock, and the age of their newest read, by the unmended scans; and the
 * last message in time before. Reads of unknown tags, and repeats, are missing.
 */
async function mendedTimings(
  db: Connection,
  orgId: number,
  readerIds: readonly number[],
  clock: WrongClock,
): Promise<Map<number, Timing[]>> {
  const began = beginningOf(clock);
  const rows = await db.any(sql.type(rowsOf<TimingRow>())`
    select reader_id, micros_of_time(max(${receivedEarlier(clock)})) as received_at,
      micros_of_time(max(case when ${isReceivedEarlier(clock)} then observed_at else ${receivedEarlier(clock)} end))
        as read_at
    from scan_events
    where ${inWindow(orgId, clock)} and reader_id = any(${sql.array([...readerIds], 'int4')})
    group by reader_id, scan_events.received_at
    union all
    select reader_id, micros_of_time(max(received_at)), micros_of_time(max(received_at))
    from scan_events
    where org_id = ${orgId}::integer and reader_id = any(${sql.array([...readerIds], 'int4')})
      and observed_at >= time_of_micros(${began - LOOK_BACK}::bigint)
      and observed_at <= time_of_micros(${began + AHEAD_TOLERANCE}::bigint)
      and received_at < time_of_micros(${began}::bigint)
      and received_at <= observed_at + ${HEARD_GAP}::bigint * interval '1 microsecond'
    group by reader_id`);
  const timings = rows.map((row) => ({
    readerId: row.reader_id,
    receivedAt: row.received_at,
    readAt: row.read_at,
  }));
  return Map.groupBy(timings, ({ readerId }) => readerId);
}

/**
 * Under a clock that is ahead everything seems late. So delays of that time are computed again; earlier ones stay.
 * Proofs by late reads are right, because the reader dates them.
 */
async function mendDelays(
  client: Client,
  { orgId, readerId, timings }: { orgId: number; readerId: number; timings: readonly Timing[] },
  clock: WrongClock,
): Promise<void> {
  const own = sql.fragment`org_id = ${orgId}::integer and reader_id = ${readerId}::integer`;
  const wrong = await client.any(sql.type(rowsOf<{ since: Micros }>())`
    delete from reader_delays where ${own} and ${isDuring(sql.fragment`ended_at`, clock)}
    returning micros_of_time(started_at) as since`);
  const began = beginningOf(clock);
  const before = wrong
    .filter(({ since }) => since < began - HEARD_GAP)
    .map(({ since }) => ({ orgId, readerId, since, until: began }));
  const again = delaysOf(timings, null).map((delay) => ({ orgId, readerId, ...delay }));
  await joinDelays(client, [...before, ...again]);
  for (const { since } of wrong) {
    await client.exec(sql.type(NO_ROWS)`
      select revise_alerts(${orgId}::integer, 'listening', ${readerId}::integer, time_of_micros(${since}::bigint))`);
  }
  await client.exec(sql.type(NO_ROWS)`
    update reader_counters set
      in_time_at = greatest(in_time_at, time_of_micros(${lastInTime(timings)}::bigint)),
      late_at = greatest(
        case when ${isDuring(sql.fragment`late_at`, clock)} then null else late_at end,
        time_of_micros(${lastLate(timings)}::bigint)
      )
    where ${own}`);
  await client.exec(sql.type(NO_ROWS)`
    update reader_proofs set learned_at = ${earlier(sql.fragment`learned_at`, clock)}
    where ${own} and ${isDuring(sql.fragment`learned_at`, clock)}`);
}

async function mendReader(
  client: Client,
  { orgId, readerId }: { orgId: number; readerId: number },
  clock: WrongClock,
): Promise<void> {
  const own = sql.fragment`org_id = ${orgId}::integer and reader_id = ${readerId}::integer`;
  const back = (time: FragmentSqlToken) => earlier(time, clock);
  // Recorders of the reader wait for it.
  const counted = await client.maybeOne(sql.type(rowsOf<CountedRow>())`
    select ${isDuring(sql.fragment`heard_until`, clock)} as is_wrong, micros_of_time(heard_since) as heard_since,
      micros_of_time(heard_until) as heard_until, heard_messages
    from reader_counters where ${own} for update`);
  const stretches = [
    ...(await client.any(sql.type(rowsOf<HeardStretch>())`
      delete from reader_spans where ${own} and state = 'up' and ${isDuring(sql.fragment`ended_at`, clock)}
      returning micros_of_time(${back(sql.fragment`started_at`)}) as since,
        micros_of_time(${back(sql.fragment`ended_at`)}) as until, messages`)),
  ];
  let last = counted === null ? null : stretchOf(counted);
  if (last !== null && counted?.is_wrong === true) {
    const since = isIn(last.since, clock) ? last.since - clock.ahead : last.since;
    stretches.push({ ...last, since, until: last.until - clock.ahead });
    const before = await client.maybeOne(sql.type(rowsOf<HeardStretch>())`
      delete from reader_spans where ${own} and state = 'up' and started_at = (
        select max(started_at) from reader_spans where ${own} and state = 'up'
      )
      returning micros_of_time(started_at) as since, micros_of_time(ended_at) as until, messages`);
    if (before !== null) {
      stretches.push(before);
    }
    last = stretches.toSorted((a, b) => a.until - b.until).at(-1) ?? null;
  }
  const before = stretches.filter((stretch) => stretch !== last);
  const late = before.map(({ since, until, messages }) => [since, until, messages]);
  // A trigger joins the stretches, and has silences derived again.
  await client.exec(sql.type(NO_ROWS)`
    update reader_counters set heard_since = time_of_micros(${last?.since ?? null}::bigint),
      heard_until = time_of_micros(${last?.until ?? null}::bigint), heard_messages = ${last?.messages ?? null}::bigint,
      heard_late = ${late.length === 0 ? null : JSON.stringify(late)}::text::jsonb,
      last_message_at = ${back(sql.fragment`last_message_at`)}, in_time_at = ${back(sql.fragment`in_time_at`)}
    where ${own}`);
  await client.exec(sql.type(NO_ROWS)`
    update reader_spans set started_at = ${back(sql.fragment`started_at`)}, ended_at = ${back(sql.fragment`ended_at`)}
    where ${own} and state = 'disconnected'
      and (${isDuring(sql.fragment`started_at`, clock)} or ${isDuring(sql.fragment`ended_at`, clock)})`);
  await client.exec(sql.type(NO_ROWS)`
    update reader_connections set connected_at = ${back(sql.fragment`connected_at`)} where ${own}`);
}

function stretchOf({ heard_since: since, heard_until: until, heard_messages: messages }: CountedRow) {
  return since === null || until === null ? null : { since, until, messages: messages ?? 0 };
}

function isIn(at: Micros, { from, to }: WrongClock): boolean {
  return at >= from && at < to;
}

function isDuring(time: FragmentSqlToken, { from, to }: WrongClock): FragmentSqlToken {
  return sql.fragment`(${time} >= time_of_micros(${from}::bigint) and ${time} < time_of_micros(${to}::bigint))`;
}

function earlier(time: FragmentSqlToken, clock: WrongClock): FragmentSqlToken {
  return sql.fragment`case when ${isDuring(time, clock)}
    then ${time} - ${clock.ahead}::bigint * interval '1 microsecond' else ${time} end`;
}
