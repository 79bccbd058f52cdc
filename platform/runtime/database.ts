import { AppError, messageOf } from '../../base/errors.ts';
import { TAGTRAIL } from '../../base/typed-command.ts';
import { addressesOf } from '../../db/timescale/connections/addresses.ts';
import { Client } from '../../db/timescale/connections/client.ts';
import { connectionConfig } from '../../db/timescale/connections/connection.ts';
import { placeOf } from '../../db/timescale/connections/database-url.ts';
import {
  faultOfConnections,
  isRefusedStart,
  START_PATIENCE,
} from '../../db/timescale/connections/direct-connection.ts';
import { faultOfPooler } from '../../db/timescale/connections/faulty-pooler.ts';
import { ORGANIZATION_ROLE } from '../../db/timescale/connections/organization-role.ts';
import { sqlStateOf } from '../../db/timescale/connections/sql-state.ts';
import { PROCESS_ROLES } from '../../db/timescale/schema/allow-login.ts';
import { isMigrated } from '../../db/timescale/schema/migrate.ts';

/**
 * Requires a reachable database, without a connection pooler between or by way of one that is usable, and this version's
 * schema.
 *
 * @throws AppError naming DATABASE_URL, or saying how to migrate.
 */
export async function requireDatabase(url: string): Promise<void> {
  await requireMigrated(url);
  await requireReachable(url, ORGANIZATION_ROLE);
}

/** Requires this version's schema. @throws AppError naming DATABASE_URL, or saying how to migrate. */
export async function requireMigrated(url: string): Promise<void> {
  const client = await connect(url);
  try {
    if (!(await isMigrated(client).catch((error) => rethrowForbidden(url, error)))) {
      throw new AppError(
        'unavailable',
        `The database at ${settingOf(url)} (${placeOf(url)}) is not migrated to this version; run ${TAGTRAIL} migrate`,
      );
    }
  } finally {
    await client.end();
  }
}

function rethrowForbidden(url: string, error: unknown): never {
  if (sqlStateOf(error) === INSUFFICIENT_PRIVILEGE) {
    const roles = PROCESS_ROLES.join(', ');
    throw new AppError(
      'misconfigured',
      `The user of ${settingOf(url)} (${placeOf(url)}) lacks the rights of the processes (${messageOf(error)}); as a superuser: grant ${roles} to that user with inherit true`,
      { cause: error },
    );
  }
  throw error;
}

const INSUFFICIENT_PRIVILEGE = '42501';

const faults = new Map<string, Promise<AppError | null>>();

/**
 * Requires a reachable database, directly or through a usable pooler.
 *
 * @param role an existing role that connections act as.
 * @param setting the source of the address.
 * @throws AppError naming the setting.
 */
export async function requireReachable(url: string, role?: string, setting = settingOf(url)): Promise<void> {
  const way = JSON.stringify([url, role, setting]);
  const looking = faults.get(way) ?? look(url, role, setting);
  faults.set(way, looking);
  const fault = await looking.catch((error) => {
    faults.delete(way);
    throw error;
  });
  if (fault !== null) {
    throw fault;
  }
}

async function look(url: string, role: string | undefined, setting: string): Promise<AppError | null> {
  const direct = await faultOfConnections(url, role).catch((error) => {
    throw unusable(url, error, setting);
  });
  const { pooled } = addressesOf(url);
  if (direct !== null || pooled === null) {
    return direct === null ? null : throughPooler(url, direct, setting);
  }
  const fault = await faultOfPooler(url, role).catch((error) => {
    throw unusable(pooled, error, 'DATABASE_URL');
  });
  return fault === null
    ? null
    : new AppError(
        'misconfigured',
        `DATABASE_URL (${placeOf(pooled)}) leads through a pooler that cannot be used: ${fault}; let it lead through one in transaction mode, or to PostgreSQL itself`,
      );
}

async function connect(url: string): Promise<Client> {
  const client = new Client({ ...connectionConfig(url), connectionTimeoutMillis: START_PATIENCE });
  try {
    await client.connect();
    return client;
  } catch (error) {
    throw isRefusedStart(error)
      ? throughPooler(url, `it refuses start-up options (${error.message})`)
      : unusable(url, error);
  }
}

function unusable(url: string, error: unknown, setting = settingOf(url)): AppError {
  const message = `The database at ${setting} (${placeOf(url)}) cannot be reached: ${messageOf(error)}`;
  return new AppError('unavailable', message, { cause: error });
}

function throughPooler(url: string, fault: string, setting = settingOf(url)): AppError {
  const remedy =
    setting === 'DATABASE_URL'
      ? 'let LISTEN_DATABASE_URL lead to PostgreSQL itself'
      : 'let it lead to PostgreSQL itself';
  return new AppError(
    'misconfigured',
    `${setting} (${placeOf(url)}) leads through a connection pooler: ${fault}; ${remedy}`,
  );
}

/** The setting of the direct way. */
function settingOf(url: string): string {
  return addressesOf(url).pooled === null ? 'DATABASE_URL' : 'LISTEN_DATABASE_URL';
}
