import { MICROS_PER_SECOND, type Micros } from '../../base/instant.ts';
import type { Client, Pool } from '../../db/timescale/connections/client.ts';
import { inTransaction } from '../../db/timescale/connections/transaction.ts';
import { type FragmentSqlToken, NO_ROWS, rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
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

/** Readers of an organization that a wrong clock heard, or saw connect or leave. */
export async function readersHeard(db: Connection, orgId: number, clock: WrongClock): Promise<number[]> {
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
export async function mendHeard(pool: Pool, orgId: number, clock: WrongClock): Promise<void> {
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

/** Readers whose scans in the window are held at once: each took a message a second, or fewer. */
const READERS_AT_ONCE = 20;

/** How far back the last message before is looked for. */
const LOOK_BACK: Micros = 3_600 * MICROS_PER_SECOND;

/** By a right clock. */
function beginningOf({ from, ahead }: WrongClock): Micros {
  return from - ahead;
}

/**
 * The reception of messages under the wrong clock, and the age of their newest read, as far as unmended scans tell; and
 * the last message in time before. Reads of unknown tags, and repeats, are missing.
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
