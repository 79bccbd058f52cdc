import { Counter, Gauge, type Registry } from 'prom-client';
import type { Pool } from '../../../db/timescale/connections/client.ts';
import { freshener } from './freshener.ts';
import { type Figures, loadFigures } from './load-figures.ts';

/** Readers, and organizations, with metric series of their own, first registered first. */
export const MOST_SHOWN = 2_000;

const OUTCOMES = ['recorded', 'duplicates', 'unknown', 'unplaced', 'rejected'] as const;

/**
 * Exports the outcomes of all readers' reads (docs/tracking.md rule 6) and the numbers of stored dead letters
 * and unknown tags. Loaded once per scrape from one snapshot, so that `reads = recorded + duplicates +
 * unknown + unplaced + rejected` in each.
 *
 * The figures are the database's, the same from every process: take the maximum over processes, not the sum.
 * Without the database the last ones stay, and `tagtrail_database_figures_up` is 0.
 */
export function collectReaderCounters(pool: Pool, registry: Registry): void {
  const isFresh = freshener(async () => set(await loadFigures(pool, MOST_SHOWN)));
  const collect = async () => {
    up.set((await isFresh()) ? 1 : 0);
  };
  const options = (name: string, help: string, labelNames: readonly string[] = ['org', 'reader']) => ({
    name: `tagtrail_${name}`,
    help,
    labelNames,
    registers: [registry],
    collect,
  });
  const up = new Gauge(options('database_figures_up', 'Whether the figures of readers are of now.', []));
  const readers = new Gauge(options('readers', `Readers, of which ${MOST_SHOWN} have series.`, []));
  const messages = new Counter(options('reader_messages_total', 'Messages of a reader.'));
  const messagesRejected = new Counter(
    options('reader_messages_rejected_total', 'Messages of a reader that could not be read at all.'),
  );
  const reads = new Counter(options('reader_reads_total', 'Reads of a reader, whatever became of them.'));
  const outcomes = new Counter(
    options('reader_read_outcomes_total', 'Reads of a reader by what became of them.', [
      'org',
      'reader',
      'outcome',
    ]),
  );
  const ignored = new Counter(
    options('reader_ignored_total', 'Items of a reader that are no reads: heartbeats, status.'),
  );
  const throttled = new Counter(
    options('reader_throttled_seconds_total', 'How long a reader was held back by its quota.'),
  );
  const lastMessage = new Gauge(
    options('reader_last_message_timestamp_seconds', "When a reader's last message was received."),
  );
  const unheardSince = new Gauge(
    options(
      'reader_unheard_since_timestamp_seconds',
      'Since when a reader is silent or disconnected; none if it is neither.',
    ),
  );
  const clockBehind = new Gauge(
    options(
      'reader_clock_behind_seconds',
      "Median of received minus observed; negative if a reader's clock is ahead.",
    ),
  );
  const clockWrong = new Gauge(
    options(
      'reader_clock_wrong',
      "Whether a reader's clock is steadily off by more than is tolerated: 1 or 0.",
    ),
  );
  const rejectedMessages = new Gauge(
    options('rejected_messages', 'Rejected messages that are kept and were not replayed.', ['org']),
  );
  const unknownTags = new Gauge(options('unknown_tags', 'Unknown tags that are kept.', ['org']));

  const set = (figures: Figures) => {
    const all = [
      messages,
      messagesRejected,
      reads,
      outcomes,
      ignored,
      throttled,
      lastMessage,
      unheardSince,
      clockBehind,
      clockWrong,
      rejectedMessages,
      unknownTags,
    ];
    for (const metric of all) {
      metric.reset();
    }
    readers.set(figures.readers);
    for (const { org, reader, ...of } of figures.counters) {
      const labels = { org, reader };
      messages.inc(labels, of.messages);
      messagesRejected.inc(labels, of.messages_rejected);
      reads.inc(labels, of.reads);
      ignored.inc(labels, of.ignored);
      throttled.inc(labels, of.throttled_ms / 1_000);
      lastMessage.set(labels, of.last_message);
      if (of.unheard_since !== null) {
        unheardSince.set(labels, of.unheard_since);
      }
      if (of.clock !== null) {
        clockBehind.set(labels, of.clock.behind_seconds);
        clockWrong.set(labels, of.clock.wrong ? 1 : 0);
      }
      for (const outcome of OUTCOMES) {
        outcomes.inc({ ...labels, outcome }, of[outcome]);
      }
    }
    for (const { org, kept } of figures.rejectedMessages) {
      rejectedMessages.set({ org }, kept);
    }
    for (const { org, kept } of figures.unknownTags) {
      unknownTags.set({ org }, kept);
    }
  };
}
