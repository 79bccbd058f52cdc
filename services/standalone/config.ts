import { LOG_REQUESTS } from '../../platform/http/request-log.ts';
import { HOST, LOG_LEVEL, SHUTDOWN_DELAY_MS } from '../../platform/runtime/common-settings.ts';
import { optionalUrl, portSetting, textSetting } from '../../platform/runtime/setting-kinds.ts';
import { type Configuration, readSettings } from '../../platform/runtime/settings.ts';
import { retentionCoversLateness, TIME_SETTINGS } from '../../platform/runtime/time-settings.ts';
import { DESCRIPTION_SETTINGS } from '../api/description/settings.ts';
import { QUERY_TIMEOUT_MS } from '../api/query-timeout.ts';
import { RATE_LIMIT_SETTINGS } from '../api/rate-limit/settings.ts';
import { HANDHELD_SETTINGS } from '../handheld-gateway/config.ts';
import { BROKER_SETTINGS, BROKER_URL, faultOfCertificates } from '../mqtt-ingest/source/broker-settings.ts';
import { QUOTA_SETTINGS } from '../mqtt-ingest/source/quota-settings.ts';

/** What can be decided about everything in one process. */
export const STANDALONE_SETTINGS = {
  DATABASE_URL: optionalUrl(
    'a database to use instead of the embedded one',
    ['postgres:', 'postgresql:'],
    'postgres://user:password@host:5432/tagtrail',
  ),
  MQTT_URL: optionalUrl('a broker to use instead of the embedded one', ...BROKER_URL),
  ...BROKER_SETTINGS,
  HOST,
  API_PORT: portSetting('the port the API listens on', 8080),
  ...DESCRIPTION_SETTINGS,
  ...RATE_LIMIT_SETTINGS,
  QUERY_TIMEOUT_MS,
  ...HANDHELD_SETTINGS,
  MQTT_PORT: portSetting('the port readers connect to', 1883),
  ...QUOTA_SETTINGS,
  TAGTRAIL_DATA: textSetting('the folder of the embedded database', './data'),
  ...TIME_SETTINGS,
  SHUTDOWN_DELAY_MS: { ...SHUTDOWN_DELAY_MS, initial: '0' },
  LOG_LEVEL: { ...LOG_LEVEL, initial: 'warn' },
  LOG_REQUESTS,
};

export type StandaloneConfig = Configuration<typeof STANDALONE_SETTINGS>;

/** @throws AppError `misconfigured` with every fault. */
export function readStandaloneConfig(environment: NodeJS.ProcessEnv): StandaloneConfig {
  return readSettings(STANDALONE_SETTINGS, environment, [retentionCoversLateness, faultOfCertificates]);
}
