import { optionalUrl } from '../runtime/setting-kinds.ts';

/** Where processes of a kind share their count of what each caller asked. */
export const REDIS_URL = optionalUrl(
  'a Redis or Valkey server, for processes that share the budget of a key or a handheld; without one each counts alone',
  ['redis:', 'rediss:'],
  'redis://user:password@host:6379',
);
