import type { Micros } from '../../base/instant.ts';
import { bigints, integers, texts, timestamps } from '../../db/timescale/queries/array-parameters.ts';
import { NO_ROWS, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import type { OutcomeStatus } from '../tracking/scan.ts';
import {
  type HeardStretch,
  heardStretches,
  isLate,
  keepDelays,
  lastInTime,
  type Timing,
  timingOf,
} from './heard-stretches.ts';
import type { RegisteredReader } from './load-readers.ts';
import type { ReadMessage } from './message.ts';
import { type ClockSample, SAMPLES } from './reader-clocks.ts';
import type { ItemResult } from './to-scans.ts';

/**
 * Counts of messages and reads. At any time `reads = recorded + duplicates + unknown + unplaced + rejected`, which the
 * table checks.
 */
export type MessageCounts = Record<Counter, number> & {
  lastMessageAt: Micros;
  clockSample: ClockSample | null;
  /** When it was heard; null for retained or replayed messages. */
  heardAt: Micros | null;
  /** Null without reads, and for retained or replayed messages. */
  timing: Timing | null;
};

/**
 * `messagesRejected` could not be decoded at all; ambiguous reads count as `unknown`; `ignored` are
 * heartbeats, status and other items without a read; `throttledMs` is the delay by the reader's quota.
 */
const COUNTERS = [
  'messages',
  'messagesRejected',
  'recorded',
  'duplicates',
  'unknown',
  'unplaced',
  'rejected',
  'ignored',
  'throttledMs',
] as const;

type Counter = (typeof COUNTERS)[number];

const COUNTED_AS = {
  recorded: 'recorded',
  duplicate: 'duplicates',
  unknown: 'unknown',
  ambiguous: 'unknown',
  unplaced: 'unplaced',
  rejected: 'rejected',
} as const satisfies Record<OutcomeStatus, Counter>;

/** @param heardAt null for a message that its reader did not send just now. */
export function countItems(
  { mapped, receivedAt, throttledMs = 0, clockSample = null }: ReadMessage,
  itemResults: readonly ItemResult[],
  heardAt: Micros | null,
): MessageCounts {
  const counts = {
    ...nothingCounted(),
    ...{ messages: 1, throttledMs, clockSample, lastMessageAt: receivedAt, heardAt },
    timing: heardAt === null ? null : timingOf(mapped, heardAt),
  };
  if (mapped.outcome === 'rejected') {
    counts.messagesRejected = 1;
  } else if (mapped.outcome === 'ignored') {
    counts.ignored = 1;
  }
  for (const item of itemResults) {
    if ('outcome' in item) {
      counts[COUNTED_AS[item.outcome.status]] += 1;
    } else {
      counts['ignored' in item ? 'ignored' : 'rejected'] += 1;
    }
  }
  return counts;
}

/**
 * Adds to the readers' counters, to the stretches in which they were heard, and to when their reads came late. Must come last in
 * the transaction: from here on other recorders of the reader wait.
 */
export async function addReaderCounts(
  db: Connection,
  counted: readonly { reader: RegisteredReader | null; counts: MessageCounts }[],
): Promise<void> {
  const rows = byReader(counted);
  if (rows.length === 0) {
    return;
  }
  const counts = (counter: Counter) => sql.binary(bigints(rows.map((row) => row[counter])));
  await db.exec(sql.prepared('add-reader-counts', NO_ROWS)`
    insert into reader_counters as stored (org_id, reader_id, messages, messages_rejected, reads, recorded,
      duplicates, unknown, unplaced, rejected, ignored, throttled_ms, last_message_at,
      clock_minute, clock_offsets_ms, heard_since, heard_until, heard_messages, heard_late, in_time_at)
    select org_id, reader_id, messages, messages_rejected, recorded + duplicates + unknown + unplaced + rejected,
      recorded, duplicates, unknown, unplaced, rejected, ignored, throttled_ms, last_message_at,
      clock_minute, case when clock_offset is null then '{}' else array[clock_offset] end,
      heard_since, heard_until, heard_messages, heard_late::jsonb, in_time_at
    from unnest(
      ${sql.binary(integers(rows.map(({ orgId }) => orgId)))}::integer[],
      ${sql.binary(integers(rows.map(({ readerId }) => readerId)))}::integer[],
      ${counts('messages')}::bigint[], ${counts('messagesRejected')}::bigint[], ${counts('recorded')}::bigint[],
      ${counts('duplicates')}::bigint[], ${counts('unknown')}::bigint[], ${counts('unplaced')}::bigint[],
      ${counts('rejected')}::bigint[], ${counts('ignored')}::bigint[], ${counts('throttledMs')}::bigint[],
      ${sql.binary(timestamps(rows.map(({ lastMessageAt }) => lastMessageAt)))}::timestamptz[],
      ${sql.binary(integers(rows.map(({ clockSample }) => clockSample?.minute ?? null)))}::integer[],
      ${sql.binary(bigints(rows.map(({ clockSample }) => clockSample?.offset ?? null)))}::bigint[],
      ${sql.binary(timestamps(rows.map(({ heard }) => heard?.since ?? null)))}::timestamptz[],
      ${sql.binary(timestamps(rows.map(({ heard }) => heard?.until ?? null)))}::timestamptz[],
      ${sql.binary(bigints(rows.map(({ heard }) => heard?.messages ?? null)))}::bigint[],
      ${sql.binary(texts(rows.map(({ heardBefore }) => heardBefore)))}::text[],
      ${sql.binary(timestamps(rows.map(({ timings }) => inTimeAt(timings))))}::timestamptz[])
      as added (org_id, reader_id, messages, messages_rejected, recorded, duplicates, unknown, unplaced, rejected,
      ignored, throttled_ms, last_message_at, clock_minute, clock_offset, heard_since, heard_until, heard_messages,
      heard_late, in_time_at)
    order by org_id, reader_id
    on conflict (org_id, reader_id) do update set
      ${ADDED}`);
  await keepDelays(db, rows);
}

function byReader(counted: readonly { reader: RegisteredReader | null; counts: MessageCounts }[]) {
  const ofReaders = counted.flatMap(({ reader, counts }) => (reader === null ? [] : [{ reader, counts }]));
  return [...Map.groupBy(ofReaders, ({ reader }) => reader.readerId).values()].flatMap((ofReader) => {
    const [first] = ofReader;
    const all = ofReader.map(({ counts }) => counts);
    const timings = all.flatMap(({ timing }) => timing ?? []);
    const { orgId, readerId } = first?.reader ?? {};
    return orgId === undefined || readerId === undefined
      ? []
      : [{ orgId, readerId, timings, ...sum(all), ...heardOf(all) }];
  });
}

/** Null if a message came late, too: then the delay's record has it. */
function inTimeAt(timings: readonly Timing[]): Micros | null {
  return timings.some(isLate) ? null : lastInTime(timings);
}

/** A gap after the last stretch: a trigger moves that stretch to `reader_spans`. */
const IS_NEXT = sql.fragment`(stored.heard_until is null
  or excluded.heard_since > stored.heard_until + interval '15 seconds')`;

/** Before the last stretch, with a gap, because another process was first. The trigger sorts it in. */
const IS_LATE = sql.fragment`excluded.heard_until < stored.heard_since - interval '15 seconds'`;

/** How an added row changes the stored one. */
const ADDED = sql.fragment`
  messages = stored.messages + excluded.messages,
  messages_rejected = stored.messages_rejected + excluded.messages_rejected,
  reads = stored.reads + excluded.reads,
  recorded = stored.recorded + excluded.recorded,
  duplicates = stored.duplicates + excluded.duplicates,
  unknown = stored.unknown + excluded.unknown,
  unplaced = stored.unplaced + excluded.unplaced,
  rejected = stored.rejected + excluded.rejected,
  ignored = stored.ignored + excluded.ignored,
  throttled_ms = stored.throttled_ms + excluded.throttled_ms,
  last_message_at = greatest(stored.last_message_at, excluded.last_message_at),
  clock_minute = greatest(stored.clock_minute, excluded.clock_minute),
  clock_offsets_ms = case
    when excluded.clock_minute is null or excluded.clock_minute < stored.clock_minute then stored.clock_offsets_ms
    when excluded.clock_minute = stored.clock_minute
      then trim_array(stored.clock_offsets_ms, 1)
        || least(stored.clock_offsets_ms[cardinality(stored.clock_offsets_ms)], excluded.clock_offsets_ms[1])
    else stored.clock_offsets_ms[greatest(1, cardinality(stored.clock_offsets_ms) + 2 - ${SAMPLES}::integer):]
      || excluded.clock_offsets_ms end,
  heard_since = case
    when ${IS_LATE} then stored.heard_since
    when ${IS_NEXT} then excluded.heard_since
    else least(stored.heard_since, excluded.heard_since) end,
  heard_until = greatest(stored.heard_until, excluded.heard_until),
  heard_messages = case
    when ${IS_LATE} then stored.heard_messages
    when ${IS_NEXT} then excluded.heard_messages
    else stored.heard_messages + coalesce(excluded.heard_messages, 0) end,
  heard_late = case
    when ${IS_LATE} then coalesce(excluded.heard_late, '[]') || jsonb_build_array(jsonb_build_array(
      micros_of_time(excluded.heard_since), micros_of_time(excluded.heard_until), excluded.heard_messages))
    else excluded.heard_late end,
  in_time_at = greatest(stored.in_time_at, excluded.in_time_at),
  in_time_before = case when excluded.in_time_at < stored.late_at then excluded.in_time_at end`;

/** The last stretch of a commit, and those before it as the trigger takes them: only after an outage there are any. */
function heardOf(all: readonly MessageCounts[]): { heard: HeardStretch | null; heardBefore: string | null } {
  const stretches = heardStretches(all);
  const heard = stretches.pop() ?? null;
  return {
    heard,
    heardBefore:
      stretches.length === 0
        ? null
        : JSON.stringify(stretches.map(({ since, until, messages }) => [since, until, messages])),
  };
}

function better(one: ClockSample | null, other: ClockSample | null): ClockSample | null {
  if (one === null || other === null) {
    return one ?? other;
  }
  const isOther = other.minute === one.minute ? other.offset < one.offset : other.minute > one.minute;
  return isOther ? other : one;
}

function sum(all: readonly MessageCounts[]): MessageCounts {
  const total = nothingCounted();
  for (const counts of all) {
    for (const counter of COUNTERS) {
      total[counter] += counts[counter];
    }
    total.clockSample = better(total.clockSample, counts.clockSample);
    total.lastMessageAt = Math.max(total.lastMessageAt, counts.lastMessageAt);
  }
  return total;
}

function nothingCounted(): MessageCounts {
  return {
    messages: 0,
    messagesRejected: 0,
    recorded: 0,
    duplicates: 0,
    unknown: 0,
    unplaced: 0,
    rejected: 0,
    ignored: 0,
    throttledMs: 0,
    clockSample: null,
    lastMessageAt: 0,
    heardAt: null,
    timing: null,
  };
}
