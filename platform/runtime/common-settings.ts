import { addressOf } from '../../db/timescale/connections/addresses.ts';
import { databaseOf } from '../../db/timescale/connections/database-url.ts';
import {
  choiceSetting,
  databaseUrl,
  integerSetting,
  optionalDatabaseUrl,
  optionalReplicaUrl,
  textSetting,
} from './setting-kinds.ts';

export const DATABASE_URL = databaseUrl('the PostgreSQL or TimescaleDB database');

export const LISTEN_DATABASE_URL = optionalDatabaseUrl(
  'the same database without a pooler between, where DATABASE_URL leads through one in transaction mode',
);

export const MIGRATE_DATABASE_URL = optionalDatabaseUrl(
  'the database as the owner of its tables, who migrates it; without it the user of DATABASE_URL does',
);

export const DATABASE_READ_URL = optionalReplicaUrl(
  'replicas of the database that answer lists and reports which may read much, while they are as far as the primary',
);

/** Without DATABASE_URL the embedded database is used, and the other addresses would go unnoticed. */
export function faultOfAddresses(config: {
  DATABASE_URL: string | null;
  LISTEN_DATABASE_URL: string | null;
  MIGRATE_DATABASE_URL?: string | null;
  DATABASE_READ_URL?: string | null;
}): string | null {
  const others = ['LISTEN_DATABASE_URL', 'MIGRATE_DATABASE_URL', 'DATABASE_READ_URL'] as const;
  const alone = others.find((name) => (config[name] ?? null) !== null);
  if (config.DATABASE_URL === null) {
    return alone === undefined
      ? null
      : `${alone} is set and DATABASE_URL is not; set DATABASE_URL to the database that processes use, or unset ${alone}`;
  }
  return faultOfMigrated(
    config.LISTEN_DATABASE_URL === null ? 'DATABASE_URL' : 'LISTEN_DATABASE_URL',
    config.LISTEN_DATABASE_URL ?? config.DATABASE_URL,
    config.MIGRATE_DATABASE_URL ?? null,
  );
}

/** Hosts may have several names; a database has one, but for what a pooler calls it. */
function faultOfMigrated(setting: string, direct: string, migrated: string | null): string | null {
  if (migrated === null || databaseOf(migrated) === databaseOf(direct)) {
    return null;
  }
  return `MIGRATE_DATABASE_URL leads to the database ${databaseOf(migrated)}, and ${setting} to ${databaseOf(direct)}; let both lead to the same`;
}

/** A configuration whose DATABASE_URL has both ways to the database. */
export type WithBothWays<Config> = Omit<Config, 'LISTEN_DATABASE_URL'>;

export function withBothWays<
  Config extends { DATABASE_URL: string | null; LISTEN_DATABASE_URL: string | null },
>({ LISTEN_DATABASE_URL: direct, ...config }: Config): WithBothWays<Config> {
  const { DATABASE_URL: pooled } = config;
  return pooled === null || direct === null
    ? config
    : { ...config, DATABASE_URL: addressOf({ direct, pooled }) };
}

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
