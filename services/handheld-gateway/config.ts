import { TRUSTED_PROXIES } from '../../platform/http/client-address.ts';
import { LOG_REQUESTS } from '../../platform/http/request-log.ts';
import { REDIS_URL } from '../../platform/rate-limit/redis-url.ts';
import { SIGN_IN_FAILURES_PER_MINUTE } from '../../platform/rate-limit/sign-in-failures.ts';
import {
  DATABASE_URL,
  HANDHELD_PORT,
  HOST,
  LISTEN_DATABASE_URL,
  LOG_LEVEL,
  retentionCoversLateness,
  SHUTDOWN_DELAY_MS,
  TIME_SETTINGS,
  type WithBothWays,
  withBothWays,
} from '../../platform/runtime/common-settings.ts';
import { integerSetting } from '../../platform/runtime/setting-kinds.ts';
import { type Configuration, readSettings } from '../../platform/runtime/settings.ts';
import { faultOfTls, TLS_SETTINGS } from '../../platform/runtime/tls-settings.ts';

/**
 * The handhelds' own settings. The rate limit lets a person look up every tag of a fast walk (five a second), and a
 * day's offline queue be sent with its retries.
 */
const HANDHELD_SETTINGS = {
  HANDHELD_PORT,
  HANDHELD_RATE_LIMIT_PER_MINUTE: integerSetting(
    'how many requests a minute a handheld may make in the long run',
    { initial: 300, min: 1, max: 60_000 },
  ),
  HANDHELD_RATE_LIMIT_BURST: integerSetting('how many requests a handheld may make at once after a pause', {
    initial: 600,
    min: 1,
    max: 120_000,
  }),
};

export const GATEWAY_SETTINGS = {
  DATABASE_URL,
  LISTEN_DATABASE_URL,
  HOST,
  ...HANDHELD_SETTINGS,
  ...TLS_SETTINGS,
  SIGN_IN_FAILURES_PER_MINUTE,
  TRUSTED_PROXIES,
  REDIS_URL,
  ...TIME_SETTINGS,
  SHUTDOWN_DELAY_MS,
  LOG_LEVEL,
  LOG_REQUESTS,
};

export type GatewayConfig = WithBothWays<Configuration<typeof GATEWAY_SETTINGS>>;

/** @throws AppError `misconfigured` with every fault. */
export function readGatewayConfig(environment: NodeJS.ProcessEnv): GatewayConfig {
  return withBothWays(readSettings(GATEWAY_SETTINGS, environment, [retentionCoversLateness, faultOfTls]));
}
