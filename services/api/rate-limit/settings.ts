import { TRUSTED_PROXIES } from '../../../platform/http/client-address.ts';
import { REDIS_URL } from '../../../platform/rate-limit/redis-url.ts';
import { SIGN_IN_FAILURES_PER_MINUTE } from '../../../platform/rate-limit/sign-in-failures.ts';
import { integerSetting } from '../../../platform/runtime/setting-kinds.ts';
import type { Configuration } from '../../../platform/runtime/settings.ts';

/** Rate limit of an API key (contract 8), and where it is counted. */
export const RATE_LIMIT_SETTINGS = {
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
