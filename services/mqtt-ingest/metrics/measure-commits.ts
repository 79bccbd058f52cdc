import { Histogram, type Registry } from 'prom-client';
import type { Clock } from '../../../base/clock.ts';
import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import type { ReadMessage } from '../intake/message.ts';
import { latestRead } from '../intake/reader-clocks.ts';

/**
 * Adds to `registry` how long messages take to be committed: since this process has received them, and, of those whose
 * payload says when, since the reader read the last of their tags. The second is the whole way from the antenna to the
 * database, what waited in the reader and in the broker included; it is by the reader's clock, so a clock that is
 * behind shows as a delay, and one that is ahead as none.
 *
 * @returns what is to be told of every message that was committed.
 */
export function measureCommits(registry: Registry, clock: Clock): (message: ReadMessage) => void {
  const sinceReceipt = new Histogram({
    name: 'tagtrail_ingest_receipt_to_commit_seconds',
    help: 'Time from the receipt of a message to its commit, by the clock of this process.',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60],
    registers: [registry],
  });
  const sinceRead = new Histogram({
    name: 'tagtrail_ingest_read_to_commit_seconds',
    help: "Time from the latest read of a message, by the reader's clock, to its commit.",
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 3_600, 86_400],
    registers: [registry],
  });
  return (message) => {
    const now = clock();
    sinceReceipt.observe(secondsBetween(message.receivedAt, now));
    const read = latestRead(message.mapped);
    if (read !== null) {
      sinceRead.observe(secondsBetween(read, now));
    }
  };
}

function secondsBetween(from: Micros, to: Micros): number {
  return Math.max(0, to - from) / MICROS_PER_SECOND;
}
