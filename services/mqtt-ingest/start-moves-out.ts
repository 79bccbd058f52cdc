import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { Gauge, type Registry as MetricRegistry, type Registry } from 'prom-client';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { readPublishedLag } from '../../domain/moves/published/published-lag.ts';
import { readPublishingFaults } from '../../domain/moves/published/refused-feeds.ts';
import { freshener, measureFigures } from '../../platform/runtime/figures.ts';
import type { Lifecycle } from '../../platform/runtime/lifecycle.ts';
import { repeat } from '../../platform/runtime/repeat.ts';
import type { ConsumerBroker, ConsumerBrokerOptions } from './consumers/consumer-broker.ts';
import { ConsumerLogins } from './consumers/consumer-logins.ts';
import type { Destination } from './moves-out/messages.ts';
import { type MovesOutFigures, publishMoves } from './moves-out/publish-moves.ts';
import type { MovesOutConfig } from './moves-out/settings.ts';
import { placeOfBroker } from './source/broker-address.ts';
import { type BrokerConfig, brokerAddressOf, protocolVersionOf } from './source/broker-settings.ts';
import { VersionChoice } from './source/protocol-version.ts';

interface Surroundings {
  log: Logger;
  lifecycle: Lifecycle;
  metrics: MetricRegistry;
  db: Connection;
}

/** Null if moves are not published. */
export function destinationOf(config: Partial<MovesOutConfig>): Destination | null {
  const { MQTT_MOVES_PREFIX: prefix = null, MQTT_HOME_ASSISTANT_PREFIX: homeAssistant = null } = config;
  return prefix === null ? null : { prefix, homeAssistant };
}

export async function startMovesToBroker(
  config: Partial<MovesOutConfig> & BrokerConfig & { MQTT_URL: string; DATABASE_URL: string },
  { log, lifecycle, metrics, db }: Surroundings,
): Promise<void> {
  const to = destinationOf(config);
  if (to === null) {
    return;
  }
  const address = brokerAddressOf(config);
  const version = new VersionChoice(protocolVersionOf(config));
  const clientId = `${config.MQTT_SHARED_GROUP}-moves`;
  const { openBrokerSink } = await import('./moves-out/broker-sink.ts');
  const publishing = await lifecycle.start(
    'moves to the broker',
    () =>
      publishMoves({
        databaseUrl: config.DATABASE_URL,
        to,
        settleSeconds: config.MQTT_MOVES_SETTLE_SECONDS ?? 0,
        broker: placeOfBroker(config.MQTT_URL),
        openSink: (signal) => openBrokerSink({ address, clientId, version }, signal),
        log,
      }),
    (started) => started.stop(),
  );
  measureMovesOut(metrics, () => publishing.figures(), db);
}

export async function consumersOf(
  to: Destination,
  told: Pick<ConsumerBrokerOptions, 'onRefused' | 'onSignedIn'>,
  db: Connection,
): Promise<ConsumerBroker> {
  const { startConsumerBroker } = await import('./consumers/consumer-broker.ts');
  return startConsumerBroker({ logins: new ConsumerLogins(db), to, ...told });
}

export async function startMovesToConsumers(
  config: Pick<Partial<MovesOutConfig>, 'MQTT_MOVES_SETTLE_SECONDS'> & { DATABASE_URL: string },
  { to, consumers }: { to: Destination; consumers: ConsumerBroker },
  { log, lifecycle, metrics, db }: Surroundings,
): Promise<void> {
  const publishing = await lifecycle.start(
    'moves to consumers',
    () =>
      publishMoves({
        databaseUrl: config.DATABASE_URL,
        to,
        settleSeconds: config.MQTT_MOVES_SETTLE_SECONDS ?? 0,
        // It keeps nothing when the process ends.
        broker: `embedded ${randomUUID()}`,
        openSink: async () => ({ publish: (messages) => consumers.publish(messages), close: () => {} }),
        log,
      }),
    (started) => started.stop(),
  );
  measureMovesOut(metrics, () => publishing.figures(), db);
  await lifecycle.start(
    'deleted consumers',
    () =>
      repeat(
        CUT_EVERY,
        () => consumers.cutDeleted(),
        (err) => log.debug({ err }, 'Consumers could not be looked up; will retry'),
      ),
    (started) => started.stop(),
  );
}

/** Milliseconds. */
const CUT_EVERY = 1_000;

/** Exports what this process publishes, and how far behind that is, which is read from the database at every scrape. */
function measureMovesOut(registry: Registry, figures: () => MovesOutFigures, db: Connection): void {
  measureFigures(registry, figures, { gauges: GAUGES, counters: COUNTERS });
  const isFresh = freshener(async () => {
    lag.set((await readPublishedLag(db)).lag);
    const faults = await readPublishingFaults(db, MOST_SHOWN);
    setAside.reset();
    for (const { orgId: org } of faults) {
      setAside.set({ org }, 1);
    }
  });
  const lag: Gauge = new Gauge({
    name: 'tagtrail_moves_out_lag_seconds',
    help: 'How long the oldest event that no process has published over MQTT has been in the move feed, less MQTT_MOVES_SETTLE_SECONDS.',
    registers: [registry],
    async collect() {
      // `tagtrail_check_up` reports a database that does not answer.
      await isFresh();
    },
  });
  const setAside: Gauge<'org'> = new Gauge({
    name: 'tagtrail_moves_out_set_aside',
    help: `1 for each organization whose moves wait because the broker does not take a message of theirs, or a query fails; at most ${MOST_SHOWN}.`,
    labelNames: ['org'],
    registers: [registry],
    async collect() {
      await isFresh();
    },
  });
}

/** Organizations with series of their own. */
const MOST_SHOWN = 100;

const GAUGES = [
  [
    'tagtrail_moves_out_publishing',
    '1 if this process is the one that publishes moves over MQTT.',
    'isPublishing',
  ],
  [
    'tagtrail_moves_out_behind',
    'Events of the move feed not yet published over MQTT by this process.',
    'behind',
  ],
] as const;

const COUNTERS = [
  [
    'tagtrail_moves_out_published_total',
    'Messages about moves that the broker has acknowledged.',
    'published',
  ],
] as const;
