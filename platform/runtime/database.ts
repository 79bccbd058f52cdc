import { AppError, messageOf } from '../../base/errors.ts';
import { Client } from '../../db/timescale/connections/client.ts';
import { connectionConfig } from '../../db/timescale/connections/connection.ts';
import { placeOf } from '../../db/timescale/connections/database-url.ts';
import {
  faultOfConnections,
  isRefusedStart,
  START_PATIENCE,
} from '../../db/timescale/connections/direct-connection.ts';
import { ORGANIZATION_ROLE } from '../../db/timescale/connections/organization-role.ts';
import { isMigrated } from '../../db/timescale/schema/migrate.ts';

/**
 * Requires a reachable database without a connection pooler between, and this version's schema.
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
    if (!(await isMigrated(client))) {
      throw new AppError(
        'unavailable',
        `The database at DATABASE_URL (${placeOf(url)}) is not migrated to this version; run npx --no -- tagtrail migrate`,
      );
    }
  } finally {
    await client.end();
  }
}

const faults = new Map<string, Promise<string | null>>();

/**
 * Requires a reachable database without a connection pooler between.
 *
 * @param role an existing role that connections act as.
 * @throws AppError naming DATABASE_URL.
 */
export async function requireReachable(url: string, role?: string): Promise<void> {
  const way = JSON.stringify([url, role]);
  const looking = faults.get(way) ?? faultOfConnections(url, role);
  faults.set(way, looking);
  let fault: string | null;
  try {
    fault = await looking;
  } catch (error) {
    faults.delete(way);
    throw unusable(url, error);
  }
  if (fault !== null) {
    throw throughPooler(url, fault);
  }
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

function unusable(url: string, error: unknown): AppError {
  const message = `The database at DATABASE_URL (${placeOf(url)}) cannot be reached: ${messageOf(error)}`;
  return new AppError('unavailable', message, { cause: error });
}

function throughPooler(url: string, fault: string): AppError {
  return new AppError(
    'misconfigured',
    `DATABASE_URL (${placeOf(url)}) leads through a connection pooler: ${fault}; let it lead to PostgreSQL itself`,
  );
}
