import {
  DATABASE_URL,
  HOST,
  LISTEN_DATABASE_URL,
  LOG_LEVEL,
  type WithBothWays,
  withBothWays,
} from '../../platform/runtime/common-settings.ts';
import { portSetting, requiredUrl } from '../../platform/runtime/setting-kinds.ts';
import { type Configuration, readSettings } from '../../platform/runtime/settings.ts';
import { retentionCoversLateness, TIME_SETTINGS } from '../../platform/runtime/time-settings.ts';
import { faultOfTls, TLS_SETTINGS } from '../../platform/runtime/tls-settings.ts';
import { faultOfMovesOut, MOVES_OUT_SETTINGS } from './moves-out/settings.ts';
import { BROKER_SETTINGS, BROKER_URL, faultOfCertificates, faultOfQueues } from './source/broker-settings.ts';

// Also used where ingestion shares a process with other services.
export { faultOfMovesOut, MOVES_OUT_SESSION, MOVES_OUT_SETTINGS } from './moves-out/settings.ts';
export { BROKER_SETTINGS, BROKER_URL, faultOfCertificates, faultOfQueues } from './source/broker-settings.ts';
export { CLIENT_CERTIFICATE_SETTINGS, faultOfClientCertificates } from './source/client-certificates.ts';
export { QUOTA_SETTINGS } from './source/quota-settings.ts';

export const INGEST_SETTINGS = {
  DATABASE_URL,
  LISTEN_DATABASE_URL,
  MQTT_URL: requiredUrl('the broker that readers publish to', ...BROKER_URL),
  ...BROKER_SETTINGS,
  ...MOVES_OUT_SETTINGS,
  HOST,
  INGEST_PORT: portSetting('the port of /healthz, /readyz and /metrics', 8082),
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
      faultOfMovesOut,
      faultOfTls,
    ]),
  );
}
