import { optionalUrl } from '../runtime/setting-kinds.ts';

export const REDIS_URL = optionalUrl(
  'a Redis or Valkey server, for processes that share the budget of a key or a handheld; without one each counts alone',
  ['redis:', 'rediss:'],
  'redis://user:password@host:6379',
);
