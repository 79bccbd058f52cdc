import { Counter, Gauge, type Registry } from 'prom-client';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { ReaderCounters } from '../../../domain/administration/readers/list-readers.ts';
import { READER_CLOCK, type ReaderClock } from '../../../domain/administration/readers/reader-clock.ts';
import { READER_FLAWS, type ReaderFlaws } from '../../../domain/administration/readers/reader-flaws.ts';
import { UNHEARD_SINCE } from '../../../domain/administration/readers/reader-state.ts';
import { freshener } from '../../../platform/runtime/figures.ts';

/** Readers, and organizations, with metric series of their own, first registered first. */
export const MOST_SHOWN = 2_000;

const OUTCOMES = ['recorded', 'duplicates', 'unknown', 'unplaced', 'rejected'] as const;

const FLAWS = [
  ['rssi_unusable', 'Reads of a reader with a signal strength that no radio has.'],
  ['time_unreadable', 'Reads of a reader with a time that could not be read; they are dated on receipt.'],
  ['readings_unusable', 'Reads of a reader with a measured value that is impossible.'],
  ['near_misses', 'Ignored messages of a reader, or parts of some, that hold something like a tag.'],
  ['pushes_refused', 'Pushes of a reader over HTTP that were refused, as it sent too much.'],
] as const;

/**
 * Exports the outcomes of all readers' reads (docs/tracking.md rule 6) and the numbers of stored dead letters
 * and unknown tags. Loaded once per scrape from one snapshot, so that `reads = recorded + duplicates +
 * unknown + unplaced + rejected` in each.
 *
 * The figures are the database's, the same from every process: take the maximum over processes, not the sum.
 * Without the database the last ones stay, and `tagtrail_database_figures_up` is 0.
 */
export function collectReaderCounters(db: Connection, registry: Registry): void {
  const isFresh = freshener(async () => show(await loadFigures(db, MOST_SHOWN), metrics));
  const metrics = metricsOf(registry, async () => {
    metrics.up.set((await isFresh()) ? 1 : 0);
  });
}

function metricsOf(registry: Registry, collect: () => Promise<void>) {
  const registers = [registry];
  const gauge = (name: string, help: string, labelNames: readonly string[] = ['org', 'reader']) =>
    new Gauge({ name: `tagtrail_${name}`, help, labelNames, registers, collect });
  const counter = (name: string, help: string, labelNames: readonly string[] = ['org', 'reader']) =>
    new Counter({ name: `tagtrail_${name}`, help, labelNames, registers, collect });
  return {
    up: gauge('database_figures_up', 'Whether the figures of readers are of now.', []),
    readers: gauge('readers', `Readers, of which ${MOST_SHOWN} have series.`, []),
    messages: counter('reader_messages_total', 'Messages of a reader.'),
    messagesRejected: counter(
      'reader_messages_rejected_total',
      'Messages of a reader that could not be read at all.',
    ),
    reads: counter('reader_reads_total', 'Reads of a reader, whatever became of them.'),
    outcomes: counter('reader_read_outcomes_total', 'Reads of a reader by what became of them.', [
      'org',
      'reader',
      'outcome',
    ]),
    ignored: counter('reader_ignored_total', 'Items of a reader that are no reads: heartbeats, status.'),
    flaws: FLAWS.map(([flaw, help]) => ({ flaw, counter: counter(`reader_${flaw}_total`, help) })),
    clockUnset: gauge(
      'reader_clock_unset',
      "Whether a reader's clock is not set, so that its reads are dated on receipt: 1 or 0.",
    ),
    throttled: counter('reader_throttled_seconds_total', 'How long a reader was held back by its quota.'),
    lastMessage: gauge('reader_last_message_timestamp_seconds', "When a reader's last message was received."),
    unheardSince: gauge(
      'reader_unheard_since_timestamp_seconds',
      'Since when a reader is silent or disconnected; none if it is neither.',
    ),
    clockBehind: gauge(
      'reader_clock_behind_seconds',
      "Median of received minus observed; negative if a reader's clock is ahead.",
    ),
    clockWrong: gauge(
      'reader_clock_wrong',
      "Whether a reader's clock is steadily off by more than is tolerated: 1 or 0.",
    ),
    rejectedMessages: gauge('rejected_messages', 'Rejected messages that are kept and were not replayed.', [
      'org',
    ]),
    unknownTags: gauge('unknown_tags', 'Unknown tags that are kept.', ['org']),
  };
}

function show(figures: Figures, { up: _up, readers, flaws, ...metrics }: ReturnType<typeof metricsOf>): void {
  for (const metric of [...Object.values(metrics), ...flaws.map(({ counter }) => counter)]) {
    metric.reset();
  }
  readers.set(figures.readers);
  for (const { org, reader, ...of } of figures.counters) {
    const labels = { org, reader };
    metrics.messages.inc(labels, of.messages);
    metrics.messagesRejected.inc(labels, of.messages_rejected);
    metrics.reads.inc(labels, of.reads);
    metrics.ignored.inc(labels, of.ignored);
    for (const { flaw, counter } of flaws) {
      counter.inc(labels, of.flaws[flaw]);
    }
    metrics.clockUnset.set(labels, of.flaws.clock_is_unset ? 1 : 0);
    metrics.throttled.inc(labels, of.throttled_ms / 1_000);
    metrics.lastMessage.set(labels, of.last_message);
    if (of.unheard_since !== null) {
      metrics.unheardSince.set(labels, of.unheard_since);
    }
    if (of.clock !== null) {
      metrics.clockBehind.set(labels, of.clock.behind_seconds);
      metrics.clockWrong.set(labels, of.clock.wrong ? 1 : 0);
    }
    for (const outcome of OUTCOMES) {
      metrics.outcomes.inc({ ...labels, outcome }, of[outcome]);
    }
  }
  for (const { org, kept } of figures.rejectedMessages) {
    metrics.rejectedMessages.set({ org }, kept);
  }
  for (const { org, kept } of figures.unknownTags) {
    metrics.unknownTags.set({ org }, kept);
  }
}

interface Figures {
  readers: number;
  /** Live readers that have sent anything, first registered first, up to the given number. */
  counters: ReaderFigures[];
  /** By organization, largest first; `none` for messages without a reader. */
  rejectedMessages: Kept[];
  unknownTags: Kept[];
}

interface ReaderFigures extends ReaderCounters {
  org: number;
  reader: number;
  /** Seconds since 1970. */
  last_message: number;
  /** Seconds since 1970; null unless it is silent or disconnected. */
  unheard_since: number | null;
  clock: ReaderClock | null;
  flaws: ReaderFlaws;
}

interface Kept {
  org: string;
  kept: number;
}

/**
 * One query with a bounded result, which reads a bounded number of rows per organization. With 100
 * organizations of 10,000 unknown tags and 2,000 rejected messages each, and 2,000 readers: 150 ms (370 ms
 * before the first vacuum).
 */
async function loadFigures(db: Connection, most: number): Promise<Figures> {
  const row = await db.one(sql.prepared('load-figures', rowsOf<FiguresRow>())`
    select
      (select count(*) from readers where deleted_at is null) as readers,
      (select coalesce(json_agg(shown), '[]') from (
        select counted.org_id as org, reader_id as reader, messages, messages_rejected, reads, recorded, duplicates, unknown,
          unplaced, rejected, ignored, throttled_ms, extract(epoch from last_message_at)::float8 as last_message,
          extract(epoch from ${UNHEARD_SINCE})::float8 as unheard_since, ${READER_CLOCK} as clock,
          ${READER_FLAWS} as flaws
        from reader_counters counted
        join readers reader on reader.org_id = counted.org_id and reader.id = counted.reader_id
          and reader.deleted_at is null
        order by reader_id limit ${most}
      ) shown) as counters,
      (select coalesce(json_agg(shown), '[]') from (
        select coalesce(org_id::text, 'none') as org, count(*) as kept
        from rejected_messages where replayed_at is null
        group by org_id order by kept desc, org_id limit ${most}
      ) shown) as rejected_messages,
      (select coalesce(json_agg(shown), '[]') from (
        select org_id::text as org, count(*) as kept from unknown_tags group by org_id order by kept desc, org_id limit ${most}
      ) shown) as unknown_tags`);
  return {
    readers: row.readers,
    counters: JSON.parse(row.counters),
    rejectedMessages: JSON.parse(row.rejected_messages),
    unknownTags: JSON.parse(row.unknown_tags),
  };
}

/** JSON texts, except the first. */
interface FiguresRow {
  readers: number;
  counters: string;
  rejected_messages: string;
  unknown_tags: string;
}
