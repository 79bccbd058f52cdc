import { type Networks, parseNetworks } from '../../base/networks.ts';
import { TRUSTED_PROXIES } from '../../platform/http/client-address.ts';
import { LOG_REQUESTS } from '../../platform/http/request-log.ts';
import { REDIS_URL } from '../../platform/rate-limit/redis-url.ts';
import { SIGN_IN_FAILURES_PER_MINUTE } from '../../platform/rate-limit/sign-in-failures.ts';
import {
  CONSOLE_URL,
  DATABASE_READ_URL,
  DATABASE_URL,
  HANDHELD_PORT,
  HANDHELD_URL,
  HOST,
  LISTEN_DATABASE_URL,
  LOG_LEVEL,
  RETENTION_SETTINGS,
  retentionCoversLateness,
  SHUTDOWN_DELAY_MS,
  TIME_SETTINGS,
  type WithBothWays,
  withBothWays,
} from '../../platform/runtime/common-settings.ts';
import { integerSetting, optionalUrl, portSetting } from '../../platform/runtime/setting-kinds.ts';
import { type Configuration, readSettings, type Setting } from '../../platform/runtime/settings.ts';
import { faultOfTls, TLS_SETTINGS } from '../../platform/runtime/tls-settings.ts';
import { API_SETTINGS } from '../api/config.ts';
import { faultOfOidc, OIDC_SETTINGS } from './oidc/settings.ts';

export const PRINTER_NETWORKS: Setting<Networks> = {
  purpose: 'networks with label printers that may be printed on: CIDR blocks, with commas between',
  initial: null,
  absent: [],
  remedy: 'CIDR blocks such as 10.20.0.0/16,fd12:3456::/48',
  read: parseNetworks,
};

export const CONSOLE_PORT = portSetting('the port the console listens on', 8083);

/** Readers are told to publish there; nothing in this process connects to it. */
const READERS_MQTT_URL = optionalUrl(
  'the address readers reach the broker at, shown when one is registered',
  ['mqtt:', 'mqtts:', 'ws:', 'wss:'],
  'mqtt://broker.example.com:1883',
);

const READERS_HTTP_URL = optionalUrl(
  'the address readers push to over HTTP, shown when one is registered',
  ['http:', 'https:'],
  'https://readers.example.com',
);

/** The console's own settings. The rate limit lets a person click through screens that send several requests each. */
export const CONSOLE_ONLY_SETTINGS = {
  CONSOLE_PORT,
  CONSOLE_URL,
  READERS_MQTT_URL,
  READERS_HTTP_URL,
  CONSOLE_RATE_LIMIT_PER_MINUTE: integerSetting(
    'how many requests a minute a user of the console may make in the long run',
    { initial: 600, min: 1, max: 60_000 },
  ),
  CONSOLE_RATE_LIMIT_BURST: integerSetting(
    'how many requests a user of the console may make at once after a pause',
    { initial: 1_200, min: 1, max: 120_000 },
  ),
  CONSOLE_IDLE_MINUTES: integerSetting('after how many minutes without use a session of the console ends', {
    initial: 720,
    min: 5,
    max: 1_440,
  }),
  HANDHELD_URL,
  PRINTER_NETWORKS,
  ...OIDC_SETTINGS,
};

export { faultOfOidc };

const { QUERY_TIMEOUT_MS, SECRETS_KEY, WEBHOOK_NETWORKS } = API_SETTINGS;

export const CONSOLE_SETTINGS = {
  DATABASE_URL,
  LISTEN_DATABASE_URL,
  DATABASE_READ_URL,
  HOST,
  ...CONSOLE_ONLY_SETTINGS,
  ...TLS_SETTINGS,
  HANDHELD_PORT,
  QUERY_TIMEOUT_MS,
  SECRETS_KEY,
  WEBHOOK_NETWORKS,
  SIGN_IN_FAILURES_PER_MINUTE,
  TRUSTED_PROXIES,
  REDIS_URL,
  ...TIME_SETTINGS,
  ...RETENTION_SETTINGS,
  SHUTDOWN_DELAY_MS,
  LOG_LEVEL,
  LOG_REQUESTS,
};

export type ConsoleConfig = WithBothWays<Configuration<typeof CONSOLE_SETTINGS>>;

/** @throws AppError `misconfigured` with every fault. */
export function readConsoleConfig(environment: NodeJS.ProcessEnv): ConsoleConfig {
  return withBothWays(
    readSettings(CONSOLE_SETTINGS, environment, [retentionCoversLateness, faultOfOidc, faultOfTls]),
  );
}
