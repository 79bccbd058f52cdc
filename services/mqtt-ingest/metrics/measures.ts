import type { RequestListener } from 'node:http';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Clock } from '../../../base/clock.ts';
import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { findStalledMoves } from '../../../domain/health/cell-moves.ts';
import type { ReadMessage } from '../../../domain/messages/message.ts';
import { latestRead } from '../../../domain/messages/reader-clocks.ts';
import type { DatabaseClock } from '../../../domain/tracking/database-clock.ts';
import { freshener, measureFigure, measureFigures } from '../../../platform/runtime/figures.ts';
import type { Intake } from '../intake/intake.ts';
import type { PushedMessages } from '../push/pushed-messages.ts';
import type { EmbeddedBrokerFigures } from '../source/embedded-broker.ts';
import type { KafkaFigures } from '../source/kafka/kafka-source.ts';
import type { SubscriberFigures } from '../source/subscriber.ts';

const HELD = [
  ['tagtrail_ingest_held_messages', 'Messages received and not committed yet.', 'heldMessages'],
  ['tagtrail_ingest_held_bytes', 'Payload of messages received and not committed yet.', 'heldBytes'],
] as const;

const COMMITTED = [
  [
    'tagtrail_ingest_committed_messages_total',
    'Messages committed, and acknowledged with that.',
    'committed',
  ],
] as const;

export function measureEmbeddedBroker(registry: Registry, figures: () => EmbeddedBrokerFigures): void {
  measureFigures(registry, figures, { gauges: BROKER_GAUGES, counters: BROKER_COUNTERS });
}

const BROKER_GAUGES = [
  ...HELD,
  ['tagtrail_broker_connections', 'Connections of readers that have signed in.', 'signedIn'],
  ['tagtrail_broker_unauthenticated', 'Connections that have not signed in.', 'unauthenticated'],
  ['tagtrail_broker_unreleased', 'Publishes at QoS 2 that readers have not released.', 'unreleased'],
] as const;

const BROKER_COUNTERS = [
  ...COMMITTED,
  ['tagtrail_ingest_received_messages_total', 'Messages received, redeliveries included.', 'received'],
  ['tagtrail_broker_evicted_total', 'Connections ended to make room for newer ones.', 'evicted'],
  [
    'tagtrail_broker_taken_over_total',
    'Connections ended by another with the same login and client id.',
    'takenOver',
  ],
] as const;

export function measureSubscriber(registry: Registry, figures: () => SubscriberFigures): void {
  measureFigures(registry, figures, { gauges: SUBSCRIBER_GAUGES, counters: SUBSCRIBER_COUNTERS });
}

const SUBSCRIBER_GAUGES = [
  ['tagtrail_ingest_broker_connected', 'Whether the broker is connected: 1 or 0.', 'isConnected'],
  ...HELD,
  ['tagtrail_ingest_subscriptions', 'Topics subscribed to.', 'subscribed'],
  ['tagtrail_ingest_refused_subscriptions', 'Topics that the broker refuses.', 'refused'],
  ['tagtrail_ingest_sessions', 'Sessions among which readers are divided that this process has.', 'sessions'],
  [
    'tagtrail_ingest_session_lost_timestamp_seconds',
    'When the broker was last found to have lost a session and what it had queued; 0 is never.',
    'forgottenAt',
  ],
] as const;

const SUBSCRIBER_COUNTERS = [
  ['tagtrail_ingest_broker_connections_total', 'Connections made to the broker.', 'connections'],
  [
    'tagtrail_ingest_received_messages_total',
    'Messages received from the broker, redeliveries included.',
    'received',
  ],
  ...COMMITTED,
] as const;

/** Registered without Kafka, too, so that dashboards and alerts find them. */
export function measureKafka(registry: Registry, figures: () => KafkaFigures): void {
  measureFigures(registry, figures, { gauges: KAFKA_GAUGES, counters: KAFKA_COUNTERS });
}

const KAFKA_GAUGES = [
  ['tagtrail_kafka_lag_records', 'Records of Kafka that this process has not recorded.', 'lag'],
  ['tagtrail_kafka_held_messages', 'Records of Kafka taken and not committed yet.', 'heldMessages'],
] as const;

const KAFKA_COUNTERS = [
  ['tagtrail_kafka_received_messages_total', 'Records taken from Kafka, repetitions included.', 'received'],
  ['tagtrail_kafka_committed_messages_total', 'Records of Kafka committed.', 'committed'],
] as const;

export function measureSlow(registry: Registry, intake: Pick<Intake, 'slow'>): void {
  measureFigures(registry, () => intake, {
    gauges: [
      [
        'tagtrail_ingest_slow_messages',
        'Messages not recorded within the time limit, which wait unacknowledged by themselves.',
        'slow',
      ],
    ],
  });
}

export function measureClock(registry: Registry, databaseClock: DatabaseClock): void {
  measureFigure(
    registry,
    'tagtrail_ingest_clock_ahead_seconds',
    "How far this machine's clock is ahead of the database's; negative if behind. Beyond 5 s nothing is recorded.",
    () => databaseClock.ahead,
  );
}

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

/** @returns the listener, with its requests counted. */
export function measurePush(
  registry: Registry,
  messages: PushedMessages,
  listener: RequestListener,
): RequestListener {
  const help = 'Messages pushed over HTTP that wait for room or for their commit.';
  measureFigure(registry, 'tagtrail_push_held_messages', help, () => messages.waiting);
  const requests = new Counter({
    name: 'tagtrail_push_requests_total',
    help: 'Requests of readers that push over HTTP, by the status of the answer; 0 if they hung up before it.',
    labelNames: ['status'] as const,
    registers: [registry],
  });
  return (request, response) => {
    response.once('close', () =>
      requests.inc({ status: response.writableFinished ? response.statusCode : 0 }),
    );
    listener(request, response);
  };
}

/** Organizations with series of their own. */
const MOST_SHOWN = 100;

/**
 * Exports interrupted moves between cells, as `doctor` shows them. The figures are the database's, the same from
 * every process.
 */
export function measureCellMoves(registry: Registry, db: Connection): void {
  const registers = [registry];
  const isFresh = freshener(async () => {
    const moves = await findStalledMoves(db, MOST_SHOWN);
    stalled.reset();
    kept.reset();
    for (const { org_id: org, state, log } of moves) {
      stalled.set({ org, state }, 1);
      if (log !== null) {
        kept.set({ org }, log);
      }
    }
  });
  // `tagtrail_check_up` reports a database that does not answer.
  const collect = async () => {
    await isFresh();
  };
  const stalled = new Gauge({
    name: 'tagtrail_cell_moves_stalled',
    help: `1 for each organization whose move between cells has stopped on its way, by state: copying, following, held, moved, arriving; at most ${MOST_SHOWN}.`,
    labelNames: ['org', 'state'] as const,
    registers,
    collect,
  });
  const kept = new Gauge({
    name: 'tagtrail_cell_moves_kept_log_bytes',
    help: `Log that the database server keeps for a move that has stopped on its way; at most ${MOST_SHOWN}.`,
    labelNames: ['org'] as const,
    registers,
    collect,
  });
}
