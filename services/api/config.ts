import { type Networks, parseNetworks } from '../../base/networks.ts';
import { parseSecretsKeys, type SecretsKeys } from '../../domain/webhooks/secrets/secrets-key.ts';
import { TRUSTED_PROXIES } from '../../platform/http/client-address.ts';
import { LOG_REQUESTS } from '../../platform/http/request-log.ts';
import { REDIS_URL } from '../../platform/rate-limit/redis-url.ts';
import { SIGN_IN_FAILURES_PER_MINUTE } from '../../platform/rate-limit/sign-in-failures.ts';
import {
  CONSOLE_URL,
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
import { type Configuration, readSettings, type Setting } from '../../platform/runtime/settings.ts';
import { faultOfTls, TLS_SETTINGS } from '../../platform/runtime/tls-settings.ts';

/** Rate limit of an API key (contract 8), and where it is counted. */
const RATE_LIMIT_SETTINGS = {
  RATE_LIMIT_PER_MINUTE: integerSetting('how many requests a minute an API key may make in the long run', {
    initial: 60,
    min: 1,
    max: 60_000,
  }),
  RATE_LIMIT_BURST: integerSetting('how many requests an API key may make at once after a pause', {
    initial: 120,
    min: 1,
    max: 120_000,
  }),
  SIGN_IN_FAILURES_PER_MINUTE,
  TRUSTED_PROXIES,
  REDIS_URL,
};

export type RateLimitConfig = Configuration<typeof RATE_LIMIT_SETTINGS>;

const SECRETS_KEY: Setting<SecretsKeys | null> = {
  purpose: 'the key that the secrets of webhooks are encrypted with; without it there are no webhooks',
  initial: null,
  absent: null,
  remedy: '32 random bytes in base64 (openssl rand -base64 32), and after a comma those it has replaced',
  isSecret: true,
  read: parseSecretsKeys,
};

const WEBHOOK_NETWORKS: Setting<Networks> = {
  purpose: 'networks that webhooks may reach although they are not public: CIDR blocks, with commas between',
  initial: null,
  absent: [],
  remedy: 'CIDR blocks such as 10.20.0.0/16,fd12:3456::/48',
  read: parseNetworks,
};

const WEBHOOK_SETTINGS = { SECRETS_KEY, WEBHOOK_NETWORKS };

const QUERY_TIMEOUT_MS = integerSetting('how long a list that may read much may take', {
  initial: 10_000,
  min: 100,
  max: 600_000,
});

const DESCRIPTION_SETTINGS = {
  PUBLIC_URL: optionalUrl(
    'the address clients reach the API at, for its description and names in EPCIS; without one, wherever they got that from',
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
  CONSOLE_URL,
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
