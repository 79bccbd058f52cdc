import { choiceSetting, requiredUrl, textSetting } from './setting-kinds.ts';

/** Settings that mean the same in every process. */
export const DATABASE_URL = requiredUrl(
  'the PostgreSQL or TimescaleDB database',
  ['postgres:', 'postgresql:'],
  'postgres://user:password@host:5432/tagtrail',
);

export const HOST = textSetting(
  'the address to listen on; 0.0.0.0 to be reached from other machines',
  '127.0.0.1',
);

export const LOG_LEVEL = choiceSetting(
  'how much is logged',
  ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
  'info',
);
