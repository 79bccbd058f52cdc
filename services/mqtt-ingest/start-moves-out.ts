import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Registry as MetricRegistry } from 'prom-client';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import type { Lifecycle } from '../../platform/runtime/lifecycle.ts';
import { repeat } from '../../platform/runtime/repeat.ts';
import type { ConsumerBroker, ConsumerBrokerOptions } from './consumers/consumer-broker.ts';
import { ConsumerLogins } from './consumers/consumer-logins.ts';
import { measureMovesOut } from './metrics/measure-moves-out.ts';
import type { Destination } from './moves-out/messages.ts';
import { publishMoves } from './moves-out/publish-moves.ts';
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
  { DATABASE_URL: databaseUrl }: { DATABASE_URL: string },
  { to, consumers }: { to: Destination; consumers: ConsumerBroker },
  { log, lifecycle, metrics, db }: Surroundings,
): Promise<void> {
  const publishing = await lifecycle.start(
    'moves to consumers',
    () =>
      publishMoves({
        databaseUrl,
        to,
        // It keeps nothing when the process ends.
        broker: `embedded ${randomUUID()}`,
        openSink: async () => ({ publish: consumers.publish, close: () => {} }),
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
