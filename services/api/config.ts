import { LOG_REQUESTS } from '../../platform/http/request-log.ts';
import {
  DATABASE_READ_URL,
  DATABASE_URL,
  HOST,
  LISTEN_DATABASE_URL,
  LOG_LEVEL,
  SHUTDOWN_DELAY_MS,
  type WithBothWays,
  withBothWays,
} from '../../platform/runtime/common-settings.ts';
import { integerSetting, optionalUrl, portSetting } from '../../platform/runtime/setting-kinds.ts';
import { type Configuration, readSettings } from '../../platform/runtime/settings.ts';
import { faultOfTls, TLS_SETTINGS } from '../../platform/runtime/tls-settings.ts';
import { RATE_LIMIT_SETTINGS } from './rate-limit/settings.ts';
import { WEBHOOK_SETTINGS } from './webhooks/settings.ts';

const QUERY_TIMEOUT_MS = integerSetting('how long a list that may read much may take', {
  initial: 10_000,
  min: 100,
  max: 600_000,
});

const DESCRIPTION_SETTINGS = {
  PUBLIC_URL: optionalUrl(
    'the address clients reach the API at, for its description; without one, wherever they got that from',
    ['http:', 'https:'],
    'https://tagtrail.example.com',
  ),
};

export const API_SETTINGS = {
  DATABASE_URL,
  LISTEN_DATABASE_URL,
  DATABASE_READ_URL,
  HOST,
  API_PORT: portSetting('the port the API listens on', 8080),
  ...TLS_SETTINGS,
  ...DESCRIPTION_SETTINGS,
  ...RATE_LIMIT_SETTINGS,
  QUERY_TIMEOUT_MS,
  ...WEBHOOK_SETTINGS,
  SHUTDOWN_DELAY_MS,
  LOG_LEVEL,
  LOG_REQUESTS,
};

export type ApiConfig = WithBothWays<Configuration<typeof API_SETTINGS>>;

/** @throws AppError `misconfigured` with every fault. */
export function readApiConfig(environment: NodeJS.ProcessEnv): ApiConfig {
  return withBothWays(readSettings(API_SETTINGS, environment, [faultOfTls]));
}
