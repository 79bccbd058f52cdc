import type { Micros } from '../../../base/instant.ts';
import { bigints, integers, timestamps } from '../../../db/timescale/queries/array-parameters.ts';
import { NO_ROWS, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { OutcomeStatus } from '../../../domain/tracking/scan.ts';
import type { RegisteredReader } from '../registry/load-readers.ts';
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
};

/**
 * `messagesRejected` could not be decoded at all; ambiguous reads count as `unknown`; `ignored` are heartbeats, status
 * and other items that are no reads; `throttledMs` is how long the quota held the reader back.
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

/** Counter of each outcome of a scan. */
const COUNTED_AS = {
  recorded: 'recorded',
  duplicate: 'duplicates',
  unknown: 'unknown',
  ambiguous: 'unknown',
  unplaced: 'unplaced',
  rejected: 'rejected',
} as const satisfies Record<OutcomeStatus, Counter>;

export function countItems(
  { mapped, receivedAt, throttledMs = 0, clockSample = null }: ReadMessage,
  itemResults: readonly ItemResult[],
): MessageCounts {
  const counts = { ...nothingCounted(), messages: 1, throttledMs, clockSample, lastMessageAt: receivedAt };
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

/** Adds to the readers' counters. Last in the transaction: from here on other recorders of the reader wait. */
export async function addReaderCounts(
  db: Connection,
  counted: readonly { reader: RegisteredReader | null; counts: MessageCounts }[],
): Promise<void> {
  const ofReaders = counted.flatMap(({ reader, counts }) => (reader === null ? [] : [{ reader, counts }]));
  const rows = [...Map.groupBy(ofReaders, ({ reader }) => reader.readerId).values()].map((all) => ({
    orgId: all[0]?.reader.orgId ?? null,
    readerId: all[0]?.reader.readerId ?? null,
    ...sum(all.map(({ counts }) => counts)),
  }));
  if (rows.length === 0) {
    return;
  }
  const counts = (counter: Counter) => sql.binary(bigints(rows.map((row) => row[counter])));
  await db.exec(sql.prepared('add-reader-counts', NO_ROWS)`
    insert into reader_counters as stored (org_id, reader_id, messages, messages_rejected, reads, recorded,
      duplicates, unknown, unplaced, rejected, ignored, throttled_ms, last_message_at,
      clock_minute, clock_offsets_ms)
    select org_id, reader_id, messages, messages_rejected, recorded + duplicates + unknown + unplaced + rejected,
      recorded, duplicates, unknown, unplaced, rejected, ignored, throttled_ms, last_message_at,
      clock_minute, case when clock_offset is null then '{}' else array[clock_offset] end
    from unnest(
      ${sql.binary(integers(rows.map(({ orgId }) => orgId)))}::integer[],
      ${sql.binary(integers(rows.map(({ readerId }) => readerId)))}::integer[],
      ${counts('messages')}::bigint[], ${counts('messagesRejected')}::bigint[], ${counts('recorded')}::bigint[],
      ${counts('duplicates')}::bigint[], ${counts('unknown')}::bigint[], ${counts('unplaced')}::bigint[],
      ${counts('rejected')}::bigint[], ${counts('ignored')}::bigint[], ${counts('throttledMs')}::bigint[],
      ${sql.binary(timestamps(rows.map(({ lastMessageAt }) => lastMessageAt)))}::timestamptz[],
      ${sql.binary(integers(rows.map(({ clockSample }) => clockSample?.minute ?? null)))}::integer[],
      ${sql.binary(bigints(rows.map(({ clockSample }) => clockSample?.offset ?? null)))}::bigint[])
      as added (org_id, reader_id, messages, messages_rejected, recorded, duplicates, unknown, unplaced, rejected,
      ignored, throttled_ms, last_message_at, clock_minute, clock_offset)
    order by org_id, reader_id
    on conflict (org_id, reader_id) do update set
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
          || excluded.clock_offsets_ms end`);
}

/** The smaller one of the same minute, else the later. */
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
  };
}
