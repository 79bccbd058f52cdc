import type { Logger } from 'pino';
import { Registry as MetricRegistry } from 'prom-client';
import { type Clock, createClock } from '../../base/clock.ts';
import { greatestOf } from '../../base/extremes.ts';
import type { Pool } from '../../db/timescale/connections/client.ts';
import { credentialKey } from '../../domain/administration/credential-uses.ts';
import type { MqttLogin } from '../../domain/administration/mqtt-consumers/consumers.ts';
import { endLostConnections, storeConnections } from '../../domain/presence/store-connections.ts';
import type { CredentialUsage } from '../../platform/access/credential-usage.ts';
import { type RefusedSignIns, startRefusedSignIns } from '../../platform/access/refused-sign-ins.ts';
import type { Check } from '../../platform/runtime/health.ts';
import type { Lifecycle } from '../../platform/runtime/lifecycle.ts';
import type { ServerTls } from '../../platform/runtime/server-tls.ts';
import type { WorkThreads } from '../../platform/runtime/work-threads.ts';
import { collectReaderCounters } from './metrics/collect-reader-counters.ts';
import {
  measureCellMoves,
  measureClock,
  measureCommits,
  measureEmbeddedBroker,
  measureKafka,
  measureSlow,
  measureSubscriber,
} from './metrics/measures.ts';
import type { MovesOutConfig } from './moves-out/settings.ts';
import { loadRetiredTopics, type Registry } from './registry/registry.ts';
import { type BrokerConfig, brokerOptions } from './source/broker-settings.ts';
import { readersTlsOf } from './source/client-certificates.ts';
import type { EmbeddedBrokerOptions } from './source/embedded-broker.ts';
import { type KafkaConfig, kafkaOf } from './source/kafka/kafka-settings.ts';
import type { KafkaSource } from './source/kafka/kafka-source.ts';
import { connectorTo } from './source/queues/connector.ts';
import { ReaderConnections } from './source/reader-connections.ts';
import { readersLog } from './source/readers-log.ts';
import { awaitAlone } from './source/sessions/lease-sessions.ts';
import type { Subscriber, SubscriberOptions } from './source/subscriber.ts';
import { DRAIN_PATIENCE, type IntakeConfig, type StartedIntake, startIntake } from './start-intake.ts';
import { consumersOf, destinationOf, startMovesToBroker, startMovesToConsumers } from './start-moves-out.ts';
import { noteRefusedReader, type PushConfig, quotaOf, startPush } from './start-push.ts';
import { startUses } from './start-uses.ts';
import { startWatch } from './start-watch.ts';

const NONE = { isConnected: false, received: 0, committed: 0, heldMessages: 0, lag: 0 };

export interface EmbeddedIngestConfig extends IntakeConfig, Partial<MovesOutConfig>, PushConfig, KafkaConfig {
  /** 0 picks a free port. */
  MQTT_PORT: number;
  TLS_CLIENT_CA_FILE?: string | null;
  TLS_CLIENT_CERTIFICATES?: 'accepted' | 'required';
}

/**
 * Starts ingestion through the embedded broker. Shutdown commits and acknowledges received messages.
 *
 * @param parts.metrics registry for its metrics.
 * @param parts.threads shared with the rest of the process.
 * @param parts.tls null if readers speak plain MQTT.
 * @returns the port readers connect to.
 * @throws AppError if the database is missing or not migrated, or the port is taken.
 */
export async function startEmbeddedIngest(
  config: EmbeddedIngestConfig,
  log: Logger,
  lifecycle: Lifecycle,
  {
    clock = createClock(),
    metrics = new MetricRegistry(),
    threads,
    tls = null,
  }: { clock?: Clock; metrics?: MetricRegistry; threads?: WorkThreads; tls?: ServerTls | null } = {},
): Promise<{ port: number; pushUrl: string | null; checks: Checks; notices: Checks }> {
  const onCommitted = measureCommits(metrics, clock);
  const started = await startIntake(config, log, lifecycle, { clock, onCommitted, threads });
  const { intake, registry, pool, checks, notices } = started;
  // Imported on demand, as is the subscriber: a process needs one of the two, and either loads 10 MB of libraries.
  const { startEmbeddedBroker } = await import('./source/embedded-broker.ts');
  const connections = await startConnections(pool, clock, { log, lifecycle });
  const refusedSignIns = await startRefusedSignIns(pool, { log, lifecycle });
  const uses = await startUses(pool, { log, lifecycle });
  const told = readersLog(log, registry);
  const to = destinationOf(config);
  const onSignedIn = ({ orgId, id }: MqttLogin) => uses.ofConsumers.note(credentialKey(orgId, id));
  const consumers =
    to === null ? undefined : await consumersOf(to, { onRefused: told.onRefused, onSignedIn }, pool);
  const broker = await lifecycle.start(
    'broker',
    () =>
      startEmbeddedBroker({
        host: config.HOST,
        port: config.MQTT_PORT,
        tls: readersTlsOf(tls, config),
        intake,
        registry,
        quota: quotaOf(config),
        ...told,
        ...noteSignIns(told, { registry, refused: refusedSignIns, uses: uses.ofReaders }),
        connections,
        consumers,
      }),
    (started) => started.stop(() => intake.drain(DRAIN_PATIENCE)),
  );
  if (to !== null && consumers !== undefined) {
    await startMovesToConsumers(config, { to, consumers }, { log, lifecycle, metrics, db: pool });
  }
  const pushUrl = await startPush(
    config.TLS_CLIENT_CERTIFICATES === 'required' ? { ...config, READERS_PORT: null } : config,
    { ...started, refused: refusedSignIns, uses: uses.ofReaders },
    { log, lifecycle, metrics, tls },
  );
  const kafka = await startBeside(
    config,
    { ...started, clock, clientId: `tagtrail-${broker.port}`, quietFor: () => 0 },
    { log, lifecycle, metrics },
  );
  measureEmbeddedBroker(metrics, () => broker.figures());
  log.info({ port: broker.port }, 'Broker listening for readers');
  return { port: broker.port, pushUrl, checks: { ...checks, ...kafka }, notices };
}

/** Keeps which readers are connected. */
async function startConnections(
  pool: Pool,
  clock: Clock,
  { log, lifecycle }: { log: Logger; lifecycle: Lifecycle },
): Promise<ReaderConnections> {
  await endLostConnections(pool);
  return lifecycle.start(
    'connections of readers',
    async () =>
      new ReaderConnections({
        clock,
        store: (readers) => storeConnections(pool, readers),
        onFault: (err) => log.warn({ err }, 'Connections of readers could not be stored; will retry'),
      }),
    (started) => started.stop(),
  );
}

/** Notes logins of readers, and those that fail or give trouble for `doctor` and the console. */
function noteSignIns(
  told: ReturnType<typeof readersLog>,
  { registry, refused, uses }: { registry: Registry; refused: RefusedSignIns; uses: CredentialUsage },
): Pick<EmbeddedBrokerOptions, 'onConnected' | 'onSignInRefused' | 'onMqtt5' | 'onTakenOver'> {
  return {
    onConnected: (reader, address) => {
      uses.note(credentialKey(reader.orgId, reader.readerId));
      told.onConnected(reader, address);
    },
    onSignInRefused: (name, address) => noteRefusedReader({ refused, registry }, name, address),
    onMqtt5: ({ username: name }, address) =>
      refused.note({ kind: 'reader_mqtt_5', name, address, isKnown: true }),
    onTakenOver: (reader, { earlier, later }) => {
      told.onTakenOver(reader, { earlier, later });
      const address = earlier === later ? `${later}, both times` : `${earlier} and ${later}`;
      refused.note({ kind: 'reader_taken_over', name: reader.username, address, isKnown: true });
    },
  };
}

type Checks = Readonly<Record<string, Check>>;

export interface SubscribedIngestConfig
  extends IntakeConfig,
    BrokerConfig,
    Partial<MovesOutConfig>,
    PushConfig,
    KafkaConfig {
  MQTT_URL: string;
}

/**
 * Starts ingestion from the broker at MQTT_URL, or from its queues at AMQP_URL, waiting for it if necessary. Shutdown commits and acknowledges
 * received messages; the broker keeps the rest.
 *
 * @param port a port of this process, to distinguish it from others on this machine.
 * @throws AppError if the database is missing or not migrated, or if MQTT_SHARED is off and another process runs.
 */
export async function startSubscribedIngest(
  config: SubscribedIngestConfig,
  port: number,
  log: Logger,
  lifecycle: Lifecycle,
  {
    keepalive,
    metrics = new MetricRegistry(),
    threads,
    tls = null,
  }: { metrics?: MetricRegistry; threads?: WorkThreads; tls?: ServerTls | null } & Pick<
    SubscriberOptions,
    'keepalive'
  > = {},
): Promise<StartedIntake & { subscriber: Subscriber; pushUrl: string | null; checks: Checks }> {
  const clock = createClock();
  const onCommitted = measureCommits(metrics, clock);
  const started = await startIntake(config, log, lifecycle, { clock, onCommitted, threads });
  const { intake, registry, pool } = started;
  const { realmOf, startSubscriber } = await import('./source/subscriber.ts');
  const { address, queues, ...broker } = brokerOptions(config, port);
  const connect = await connectorTo({ address, queues });
  if (broker.shared === 'off') {
    await awaitAlone(pool, { realm: realmOf(broker), process: broker.clientId });
  }
  const subscriber = await lifecycle.start(
    'subscriber',
    () =>
      startSubscriber({
        ...broker,
        connect,
        isTakenOver: queues === null,
        sessionExpiry: config.LATENESS_DAYS * SECONDS_PER_DAY,
        intake,
        registry,
        pool,
        ...(keepalive === undefined ? {} : { keepalive }),
        retiredTopics: () => loadRetiredTopics(pool, config.LATENESS_DAYS),
        onNotAlone: (error) => lifecycle.fail(error),
        log,
      }),
    (running) => running.stop(() => intake.drain(DRAIN_PATIENCE)),
  );
  await startMovesToBroker(config, { log, lifecycle, metrics, db: pool });
  const pushUrl = await startPush(config, started, { log, lifecycle, metrics, tls });
  const { clientId } = broker;
  const kafka = await startBeside(
    config,
    { ...started, clock, clientId, quietFor: () => subscriber.quietFor() },
    { log, lifecycle, metrics },
  );
  measureSubscriber(metrics, () => subscriber.figures());
  const checks = { broker: () => subscriber.requireConnected(), ...kafka, ...started.checks };
  return { ...started, subscriber, pushUrl, checks };
}

/**
 * Starts what runs beside either kind of broker: Kafka, the watch, and figures.
 *
 * @param source.quietFor milliseconds since the broker was last heard.
 * @returns what readiness asks of Kafka.
 */
async function startBeside(
  config: KafkaConfig,
  source: StartedIntake & { clock: Clock; clientId: string; quietFor(): number | null },
  running: { log: Logger; lifecycle: Lifecycle; metrics: MetricRegistry },
): Promise<Checks> {
  const { pool, clock, intake, clientId } = source;
  const { metrics } = running;
  const kafka = await startKafka(config, source, { ...running, clientId });
  const quietFor = () => {
    const quiet = [source.quietFor(), kafka === null ? 0 : kafka.quietFor()];
    return quiet.includes(null) ? null : greatestOf(quiet.map(Number));
  };
  await startWatch({ pool, clock, intake, quietFor }, running);
  measureClock(metrics, source.databaseClock);
  measureSlow(metrics, intake);
  measureCellMoves(metrics, pool);
  collectReaderCounters(pool, metrics);
  return kafka === null ? {} : { kafka: () => kafka.requireConnected() };
}

const SECONDS_PER_DAY = 86_400;

/**
 * Takes records from Kafka, in addition to the broker's messages.
 *
 * @returns null if none is configured.
 */
async function startKafka(
  config: KafkaConfig,
  { intake, registry }: Pick<StartedIntake, 'intake' | 'registry'>,
  {
    log,
    lifecycle,
    metrics,
    clientId,
  }: { log: Logger; lifecycle: Lifecycle; metrics: MetricRegistry; clientId: string },
): Promise<KafkaSource | null> {
  const address = kafkaOf(config);
  if (address === null) {
    measureKafka(metrics, () => NONE);
    return null;
  }
  // Loaded on demand, as brokers are.
  const { startKafkaSource } = await import('./source/kafka/kafka-source.ts');
  const source = await lifecycle.start(
    'Kafka',
    () => startKafkaSource({ address, clientId, intake, registry, log }),
    (started) => started.stop(DRAIN_PATIENCE),
  );
  measureKafka(metrics, () => source.figures());
  return source;
}
