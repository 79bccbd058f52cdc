import { addressOf } from '../../db/timescale/connections/addresses.ts';
import { databaseOf } from '../../db/timescale/connections/database-url.ts';
import {
  choiceSetting,
  databaseUrl,
  integerSetting,
  optionalDatabaseUrl,
  optionalInteger,
  optionalReplicaUrl,
  optionalUrl,
  portSetting,
  textSetting,
} from './setting-kinds.ts';
import type { Configuration, Setting } from './settings.ts';

/** Days. */
export const TIME_SETTINGS = {
  SCAN_RETENTION_DAYS: integerSetting('how many days raw scans are kept', {
    initial: 30,
    min: 1,
    max: 36_500,
  }),
  LATENESS_DAYS: integerSetting('how many days after its observation a scan may come', {
    initial: 30,
    min: 1,
    max: 36_500,
  }),
};

/** In days; only retention depends on these. */
export const RETENTION_SETTINGS = {
  MOVES_RETENTION_DAYS: optionalInteger(
    'how many days the events of the move feed are kept; for good if unset',
    { min: 7, max: 36_500 },
  ),
  READINGS_RETENTION_DAYS: integerSetting('how many days values that tags measured are kept', {
    initial: 90,
    min: 1,
    max: 36_500,
  }),
  ADDRESS_RETENTION_DAYS: integerSetting(
    'how many days the change log says which address somebody signed in to the console from',
    { initial: 365, min: 1, max: 36_500 },
  ),
};

/** An origin: scheme, host and port. */
export const CONSOLE_URL: Setting<string | null> = {
  purpose:
    'where people reach the console, if not at its own port: links lead there, and with https its cookie is sent over TLS only',
  initial: null,
  absent: null,
  remedy: 'an address without a path, such as https://tracking.example.com',
  read: (text) => {
    const url = URL.canParse(text) ? new URL(text) : null;
    const isOrigin = url?.pathname === '/' && url.search === '' && url.hash === '' && url.username === '';
    return isOrigin && /^https?:$/.test(url.protocol) ? url.origin : undefined;
  },
};

export const HANDHELD_PORT = portSetting('the port handhelds connect to', 8081);

/** The gateway itself does not ask for it: the command line and the console show it to devices. */
export const HANDHELD_URL = optionalUrl(
  'the address people open the handhelds’ app at, for QR codes to sign in by',
  ['https:', 'http:'],
  'https://handhelds.example.com',
);

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

/** A host may have several names, a database only one, unless a pooler renames it. */
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

/** A late scan is sorted in among the raw scans around it, so those must still exist. */
export function retentionCoversLateness(times: Configuration<typeof TIME_SETTINGS>): string | null {
  const { SCAN_RETENTION_DAYS: retention, LATENESS_DAYS: lateness } = times;
  return retention < lateness
    ? `SCAN_RETENTION_DAYS is ${retention}, less than LATENESS_DAYS, which is ${lateness}; ` +
        `set SCAN_RETENTION_DAYS to ${lateness} or more, or LATENESS_DAYS to ${retention} or less`
    : null;
}
