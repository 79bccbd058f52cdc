import { append } from '../../base/append.ts';
import { MICROS_PER_SECOND, type Micros } from '../../base/instant.ts';
import { integers, timestamps } from '../../db/timescale/queries/array-parameters.ts';
import { type FragmentSqlToken, NO_ROWS, rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import type { Mapped } from '../formats/mapping/run.ts';
import { EARLIEST_DEVICE_TIME, isDeviceTimeUsed } from '../tracking/observed-at.ts';
import type { RegisteredReader } from './load-readers.ts';
import type { ReadMessage } from './message.ts';

/** Messages each received within {@link HEARD_GAP} of the one before. */
export interface HeardStretch {
  since: Micros;
  until: Micros;
  messages: number;
}

/** As in `db/timescale/schema/tables/presence.sql`, which has the reason. */
export const HEARD_GAP: Micros = 15 * MICROS_PER_SECOND;

/**
 * @param all messages in any order.
 * @returns stretches in order; one in nearly every commit.
 */
export function heardStretches(all: readonly { heardAt: Micros | null }[]): HeardStretch[] {
  let since = Number.POSITIVE_INFINITY;
  let until = Number.NEGATIVE_INFINITY;
  let messages = 0;
  for (const { heardAt } of all) {
    if (heardAt !== null) {
      since = Math.min(since, heardAt);
      until = Math.max(until, heardAt);
      messages += 1;
    }
  }
  if (messages === 0) {
    return [];
  }
  return until - since <= HEARD_GAP
    ? [{ since, until, messages }]
    : stretchesOf(all.flatMap(({ heardAt }) => heardAt ?? []).sort((a, b) => a - b));
}

/** @param ascending times in order. */
export function stretchesOf(ascending: readonly Micros[]): HeardStretch[] {
  const stretches: HeardStretch[] = [];
  for (const at of ascending) {
    const last = stretches.at(-1);
    if (last !== undefined && at - last.until <= HEARD_GAP) {
      last.until = at;
      last.messages += 1;
    } else {
      stretches.push({ since: at, until: at, messages: 1 });
    }
  }
  return stretches;
}

/** The delay of a message with reads. */
export interface Timing {
  receivedAt: Micros;
  /** The newest read's time, as it counts. Exact only if it came late. */
  readAt: Micros;
}

/** A reader's messages in a commit. */
interface Sent {
  orgId: number;
  readerId: number;
  timings: readonly Timing[];
}

/** To hear the reader proved nothing then. */
interface Delay {
  since: Micros;
  until: Micros;
}

/** Nearly always by a look at the first read. @returns null for a message without reads. */
export function timingOf(mapped: Mapped, receivedAt: Micros): Timing | null {
  let readAt: Micros | null = null;
  for (const item of mapped.outcome === 'items' ? mapped.items : []) {
    if (item.outcome === 'read') {
      const scan = { deviceTime: item.read.deviceTime, receivedAt };
      const at = isDeviceTimeUsed(scan) ? scan.deviceTime : receivedAt;
      if (at >= receivedAt - HEARD_GAP) {
        return { receivedAt, readAt: at };
      }
      readAt = Math.max(readAt ?? at, at);
    }
  }
  return readAt === null ? null : { receivedAt, readAt };
}

export function isLate({ receivedAt, readAt }: Timing): boolean {
  return receivedAt - readAt > HEARD_GAP;
}

/**
 * From the last message in time, or from the newest read of one that came late, until that was received. None for
 * messages received soon after a message in time, because old reads are then sent between new ones.
 *
 * @param timings in any order.
 * @param known the last message in time that was committed before, of whichever process. What was received before
 * that is no delay.
 * @returns in order and apart.
 */
export function delaysOf(timings: readonly Timing[], known: Micros | null): Delay[] {
  const delays: Delay[] = [];
  let inTimeAt = known ?? Number.NEGATIVE_INFINITY;
  for (const timing of timings.toSorted((a, b) => a.receivedAt - b.receivedAt)) {
    const { receivedAt: until, readAt } = timing;
    let since = Math.max(readAt, inTimeAt);
    if (!isLate(timing)) {
      inTimeAt = Math.max(inTimeAt, until);
    } else if (until - since > HEARD_GAP) {
      while ((delays.at(-1)?.until ?? Number.NEGATIVE_INFINITY) >= since) {
        since = Math.min(since, delays.pop()?.since ?? since);
      }
      delays.push({ since, until });
    }
  }
  return delays;
}

/** When the last of a commit was received in time; null if none was. */
export function lastInTime(timings: readonly Timing[]): Micros | null {
  return latest(timings.filter((timing) => !isLate(timing)));
}

/** When the last of a commit that came late was received; null if none did. */
export function lastLate(timings: readonly Timing[]): Micros | null {
  return latest(timings.filter(isLate));
}

/** Keeps when what readers sent came late. Call with the readers' counters locked. Nearly always nothing did. */
export async function keepDelays(db: Connection, sent: readonly Sent[]): Promise<void> {
  const late = sent.filter(({ timings }) => timings.some(isLate));
  if (late.length === 0) {
    return;
  }
  const known = new Map(
    (await loadInTime(db, late)).map(({ reader_id: id, in_time_at: inTimeAt }) => [id, inTimeAt]),
  );
  const delays = late.flatMap(({ orgId, readerId, timings }) =>
    delaysOf(timings, known.get(readerId) ?? null).map((delay) => ({ orgId, readerId, ...delay })),
  );
  await joinDelays(db, delays);
  await db.exec(sql.prepared('keep-last-late', NO_ROWS)`
    update reader_counters counted set
      in_time_at = greatest(counted.in_time_at, given.in_time),
      late_at = greatest(counted.late_at, given.late),
      in_time_before = case when given.in_time < greatest(counted.late_at, given.late) then given.in_time end
    from unnest(${column(late, 'orgId')}::integer[], ${column(late, 'readerId')}::integer[],
      ${sql.binary(timestamps(late.map(({ timings }) => lastInTime(timings))))}::timestamptz[],
      ${sql.binary(timestamps(late.map(({ timings }) => lastLate(timings))))}::timestamptz[]) as given (org_id, reader_id, in_time, late)
    where counted.org_id = given.org_id and counted.reader_id = given.reader_id`);
}

/** Joins delays to those that are kept already. */
export async function joinDelays(
  db: Connection,
  delays: readonly (Delay & { orgId: number; readerId: number })[],
): Promise<void> {
  if (delays.length > 0) {
    await db.exec(sql.prepared('keep-delays', NO_ROWS)`
      select delay_listening(org_id, reader_id, since, until)
      from (
        select * from unnest(${column(delays, 'orgId')}::integer[], ${column(delays, 'readerId')}::integer[],
          ${sql.binary(timestamps(delays.map(({ since }) => since)))}::timestamptz[],
          ${sql.binary(timestamps(delays.map(({ until }) => until)))}::timestamptz[])
          as given (org_id, reader_id, since, until)
        order by org_id, reader_id, since
      ) given`);
  }
}

function loadInTime(
  db: Connection,
  readers: readonly Sent[],
): Promise<readonly { reader_id: number; in_time_at: Micros | null }[]> {
  return db.any(sql.prepared('load-in-time', rowsOf<{ reader_id: number; in_time_at: Micros | null }>())`
    select counted.reader_id, micros_of_time(counted.in_time_at) as in_time_at
    from unnest(${column(readers, 'orgId')}::integer[], ${column(readers, 'readerId')}::integer[])
      as given (org_id, reader_id)
    join reader_counters counted on counted.org_id = given.org_id and counted.reader_id = given.reader_id`);
}

function column(rows: readonly { orgId: number; readerId: number }[], name: 'orgId' | 'readerId') {
  return sql.binary(integers(rows.map((row) => row[name])));
}

function latest(timings: readonly Timing[]): Micros | null {
  return timings.reduce<Micros | null>(
    (last, { receivedAt }) => (last === null ? receivedAt : Math.max(last, receivedAt)),
    null,
  );
}

export interface LateProof {
  reader: RegisteredReader;
  /** Times of reads, by the reader's clock. */
  times: readonly Micros[];
  learnedAt: Micros;
}

/**
 * Reads of a message that are older than the gap within a stretch of messages: if the reader was not heard when it made
 * them, they prove that it was listening. Nearly always none.
 */
export function lateProof(
  { reader, mapped }: ReadMessage,
  receivedAt: Micros,
  lateness: Micros,
): LateProof | null {
  if (reader === null || mapped.outcome !== 'items') {
    return null;
  }
  let times: Micros[] | null = null;
  const latest = receivedAt - HEARD_GAP;
  const earliest = Math.max(EARLIEST_DEVICE_TIME, receivedAt - lateness);
  for (const item of mapped.items) {
    const time = item.outcome === 'read' ? item.read.deviceTime : null;
    if (time !== null && time < latest && time >= earliest) {
      times ??= [];
      times.push(time);
    }
  }
  return times === null ? null : { reader, times, learnedAt: receivedAt };
}

/**
 * Keeps what late reads prove, in the time of the reader. Of a reader that is known to have listened all the time from the
 * first of them to the last, as of most that send old reads for a while, they prove nothing new, and that takes one look-up:
 * `prove_listening` for each stretch took 3 us a read where a fifth of all reads were late.
 *
 * Call with the readers' counters locked.
 */
export async function keepLateProofs(db: Connection, proofs: readonly (LateProof | null)[]): Promise<void> {
  const given = proofs.filter((proof) => proof !== null);
  if (given.length === 0) {
    return;
  }
  const stretches: HeardStretch[] = [];
  const readers = [...Map.groupBy(given, ({ reader }) => reader.readerId).values()].map((ofReader) => {
    const times = ofReader.flatMap((proof) => proof.times).sort((a, b) => a - b);
    const first = stretches.length + 1;
    append(stretches, stretchesOf(times));
    return {
      reader: ofReader[0]?.reader,
      since: times[0] ?? 0,
      until: times.at(-1) ?? 0,
      learnedAt: ofReader.reduce((last, proof) => Math.max(last, proof.learnedAt), 0),
      ...{ first, last: stretches.length },
    };
  });
  const ofReaders = (which: 'since' | 'until' | 'learnedAt') =>
    sql.binary(timestamps(readers.map((reader) => reader[which])));
  const places = (which: 'first' | 'last') => sql.binary(integers(readers.map((reader) => reader[which])));
  const ids = (which: 'orgId' | 'readerId') =>
    sql.binary(integers(readers.map(({ reader }) => reader?.[which] ?? null)));
  await db.exec(sql.prepared('keep-late-proofs', NO_ROWS)`
    select prove_listening(sent.org_id, sent.reader_id, stretch.since, stretch.until, sent.learned)
    from (
      select * from unnest(${ids('orgId')}::integer[], ${ids('readerId')}::integer[], ${ofReaders('since')}::timestamptz[],
        ${ofReaders('until')}::timestamptz[], ${ofReaders('learnedAt')}::timestamptz[],
        ${places('first')}::integer[], ${places('last')}::integer[])
        as given (org_id, reader_id, since, until, learned, first, last)
      where not ${ALL_IS_KNOWN}
      order by org_id, reader_id
    ) sent
    cross join lateral unnest(
      (${sql.binary(timestamps(stretches.map(({ since }) => since)))}::timestamptz[])[sent.first:sent.last],
      (${sql.binary(timestamps(stretches.map(({ until }) => until)))}::timestamptz[])[sent.first:sent.last]
    ) as stretch (since, until)
    where not ${STRETCH_IS_KNOWN}`);
}

/** As `prove_listening` finds it: proven before, or heard, and nothing came late then. */
function isKnown(reader: FragmentSqlToken, time: FragmentSqlToken): FragmentSqlToken {
  const ofReader = sql.fragment`org_id = ${reader}.org_id and reader_id = ${reader}.reader_id`;
  return sql.fragment`(
    coalesce((
      select ended_at >= ${time}.until from reader_proofs
      where ${ofReader} and started_at <= ${time}.since
      order by started_at desc limit 1), false)
    or (
      exists (
        select from reader_counters
        where ${ofReader} and heard_since <= ${time}.since and heard_until >= ${time}.until)
      or coalesce((
        select ended_at >= ${time}.until from reader_spans
        where ${ofReader} and state = 'up' and started_at <= ${time}.since
        order by started_at desc limit 1), false)
    ) and not coalesce((
      select ended_at >= ${time}.since from reader_delays
      where ${ofReader} and started_at <= ${time}.until
      order by started_at desc limit 1), false))`;
}

const ALL_IS_KNOWN = isKnown(sql.fragment`given`, sql.fragment`given`);
const STRETCH_IS_KNOWN = isKnown(sql.fragment`sent`, sql.fragment`stretch`);
