import { Histogram, type Registry } from 'prom-client';
import type { Clock } from '../../../base/clock.ts';
import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import type { ReadMessage } from '../../../domain/messages/message.ts';
import { latestRead } from '../../../domain/messages/reader-clocks.ts';

/**
 * Exports commit latency: from reception and, if the payload has times, from the reader's last read. The
 * latter is the whole way from antenna to database, including time in the reader and the broker; it is
 * measured by the reader's clock, so a slow clock shows as delay and a fast one as none.
 *
 * @returns a function to call with every committed message.
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
