import { TRUSTED_PROXIES } from '../../platform/http/client-address.ts';
import { LOG_REQUESTS } from '../../platform/http/request-log.ts';
import { SIGN_IN_FAILURES_PER_MINUTE } from '../../platform/rate-limit/sign-in-failures.ts';
import {
  DATABASE_URL,
  HOST,
  LISTEN_DATABASE_URL,
  LOG_LEVEL,
  retentionCoversLateness,
  TIME_SETTINGS,
  type WithBothWays,
  withBothWays,
} from '../../platform/runtime/common-settings.ts';
import {
  integerSetting,
  optionalInteger,
  portSetting,
  requiredUrl,
} from '../../platform/runtime/setting-kinds.ts';
import { type Configuration, readSettings } from '../../platform/runtime/settings.ts';
import { faultOfTls, TLS_SETTINGS } from '../../platform/runtime/tls-settings.ts';
import { faultOfMovesOut, MOVES_OUT_SETTINGS } from './moves-out/settings.ts';
import { BROKER_SETTINGS, BROKER_URL, faultOfCertificates, faultOfQueues } from './source/broker-settings.ts';
import { faultOfKafka, KAFKA_SETTINGS } from './source/kafka/kafka-settings.ts';

/**
 * Rate limits of one reader, over all connections of its login at the embedded broker, and apart from that over all that it
 * pushes over HTTP. A portal reading a
 * thousand tags a second sends 0.2 MB/s; one that sends each read by itself, a thousand messages a second.
 * Reads count besides messages and bytes because a message of 400 KB can have 9,999 of them, each of an
 * unknown tag: ten of those a second stay within the other two limits and took others' look-ups from 20 to
 * 302 ms at the 99th percentile.
 */
export const QUOTA_SETTINGS = {
  READER_MESSAGES_PER_SECOND: integerSetting('messages a second that one reader may send', {
    initial: 2_000,
    min: 1,
    max: 1_000_000,
  }),
  READER_READS_PER_SECOND: integerSetting('reads of tags a second that one reader may send', {
    initial: 10_000,
    min: 1,
    max: 10_000_000,
  }),
  READER_BYTES_PER_SECOND: integerSetting('bytes a second that one reader may send', {
    initial: 4_194_304,
    min: 1_024,
    max: 1_073_741_824,
  }),
};

/** The port for HTTP push. No default, because several processes on one machine would collide. */
export const READERS_PORT = optionalInteger('the port readers push to over HTTP', { min: 0, max: 65_535 });

export const PUSH_SETTINGS = {
  READERS_PORT,
  ...QUOTA_SETTINGS,
  SIGN_IN_FAILURES_PER_MINUTE,
  TRUSTED_PROXIES,
  LOG_REQUESTS,
};

export { faultOfMovesOut, MOVES_OUT_SESSION, MOVES_OUT_SETTINGS } from './moves-out/settings.ts';
export { BROKER_SETTINGS, BROKER_URL, faultOfCertificates, faultOfQueues } from './source/broker-settings.ts';
export { CLIENT_CERTIFICATE_SETTINGS, faultOfClientCertificates } from './source/client-certificates.ts';
// Also used where ingestion shares a process with other services.
export { faultOfKafka, KAFKA_SETTINGS } from './source/kafka/kafka-settings.ts';

export const INGEST_SETTINGS = {
  DATABASE_URL,
  LISTEN_DATABASE_URL,
  MQTT_URL: requiredUrl('the broker that readers publish to', ...BROKER_URL),
  ...BROKER_SETTINGS,
  ...KAFKA_SETTINGS,
  ...MOVES_OUT_SETTINGS,
  HOST,
  INGEST_PORT: portSetting('the port of /healthz, /readyz and /metrics', 8082),
  ...PUSH_SETTINGS,
  ...TLS_SETTINGS,
  ...TIME_SETTINGS,
  LOG_LEVEL,
};

export type IngestConfig = WithBothWays<Configuration<typeof INGEST_SETTINGS>>;

/** @throws AppError `misconfigured` with every fault. */
export function readIngestConfig(environment: NodeJS.ProcessEnv): IngestConfig {
  return withBothWays(
    readSettings(INGEST_SETTINGS, environment, [
      retentionCoversLateness,
      faultOfCertificates,
      faultOfQueues,
      faultOfKafka,
      faultOfMovesOut,
      faultOfTls,
    ]),
  );
}
