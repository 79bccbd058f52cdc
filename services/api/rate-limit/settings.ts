import { integerSetting, optionalUrl } from '../../shared/runtime/setting-kinds.ts';
import type { Configuration } from '../../shared/runtime/settings.ts';

/** How often an API key may ask (interface section 8), and who counts. */
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
  REDIS_URL: optionalUrl(
    'a Redis or Valkey server, for API processes that share the budget of a key; without one each counts alone',
    ['redis:', 'rediss:'],
    'redis://user:password@host:6379',
  ),
};

export type RateLimitConfig = Configuration<typeof RATE_LIMIT_SETTINGS>;
