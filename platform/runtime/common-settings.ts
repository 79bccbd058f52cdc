import { choiceSetting, databaseUrl, integerSetting, textSetting } from './setting-kinds.ts';

export const DATABASE_URL = databaseUrl('the PostgreSQL or TimescaleDB database');

export const HOST = textSetting(
  'the address to listen on; 0.0.0.0 to be reached from other machines',
  '127.0.0.1',
);

export const SHUTDOWN_DELAY_MS = integerSetting(
  'how long a process that gets SIGTERM goes on answering, not ready, so that a load balancer leaves it',
  { initial: 5_000, min: 0, max: 600_000 },
);

export const LOG_LEVEL = choiceSetting(
  'how much is logged',
  ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
  'info',
);
