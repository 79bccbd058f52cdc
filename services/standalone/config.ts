import {
  faultOfAddresses,
  LISTEN_DATABASE_URL,
  LOG_LEVEL,
  MIGRATE_DATABASE_URL,
  retentionCoversLateness,
  SHUTDOWN_DELAY_MS,
  type WithBothWays,
  withBothWays,
} from '../../platform/runtime/common-settings.ts';
import {
  optionalDatabaseUrl,
  optionalUrl,
  portSetting,
  textSetting,
} from '../../platform/runtime/setting-kinds.ts';
import { type Configuration, readSettings } from '../../platform/runtime/settings.ts';
import { faultOfTls } from '../../platform/runtime/tls-settings.ts';
import { API_SETTINGS } from '../api/config.ts';
import { CONSOLE_ONLY_SETTINGS, faultOfOidc } from '../console/config.ts';
import { GATEWAY_SETTINGS } from '../handheld-gateway/config.ts';
import {
  BROKER_SETTINGS,
  BROKER_URL,
  CLIENT_CERTIFICATE_SETTINGS,
  faultOfCertificates,
  faultOfClientCertificates,
  faultOfKafka,
  faultOfMovesOut,
  faultOfQueues,
  KAFKA_SETTINGS,
  MOVES_OUT_SETTINGS,
  QUOTA_SETTINGS,
} from '../mqtt-ingest/config.ts';
import { faultOfMail, JOB_SETTINGS } from '../worker/config.ts';

export const STANDALONE_SETTINGS = {
  ...JOB_SETTINGS,
  ...API_SETTINGS,
  ...GATEWAY_SETTINGS,
  ...CONSOLE_ONLY_SETTINGS,
  ...BROKER_SETTINGS,
  ...KAFKA_SETTINGS,
  ...MOVES_OUT_SETTINGS,
  ...QUOTA_SETTINGS,
  DATABASE_URL: optionalDatabaseUrl('a database to use instead of the embedded one'),
  LISTEN_DATABASE_URL,
  MIGRATE_DATABASE_URL,
  MQTT_URL: optionalUrl('a broker to use instead of the embedded one', ...BROKER_URL),
  MQTT_PORT: portSetting('the port readers connect to', 1883),
  READERS_PORT: portSetting('the port readers push to over HTTP', 8085),
  ...CLIENT_CERTIFICATE_SETTINGS,
  TAGTRAIL_DATA: textSetting('the folder of the embedded database', './data'),
  SHUTDOWN_DELAY_MS: { ...SHUTDOWN_DELAY_MS, initial: '0' },
  LOG_LEVEL: { ...LOG_LEVEL, initial: 'warn' },
};

export type StandaloneConfig = WithBothWays<Configuration<typeof STANDALONE_SETTINGS>>;

/** @throws AppError `misconfigured` with every fault. */
export function readStandaloneConfig(environment: NodeJS.ProcessEnv): StandaloneConfig {
  return withBothWays(
    readSettings(STANDALONE_SETTINGS, environment, [
      faultOfAddresses,
      retentionCoversLateness,
      faultOfCertificates,
      faultOfQueues,
      faultOfKafka,
      faultOfMovesOut,
      faultOfOidc,
      faultOfMail,
      faultOfTls,
      faultOfClientCertificates,
    ]),
  );
}
