import { AppError } from '../../../base/errors.ts';
import type { Pool } from '../../../db/timescale/connections/client.ts';
import { type Database, databaseOn } from '../../../db/timescale/connections/database.ts';
import { withDatabase } from '../../../db/timescale/connections/database-url.ts';
import {
  type OrganizationDatabase,
  openOrganizationDoor,
} from '../../../db/timescale/connections/organization-door.ts';
import { createWritePool } from '../../../db/timescale/connections/pool.ts';
import { type Snapshot, withSnapshot } from '../../../db/timescale/connections/snapshot.ts';
import { requireEmbedded, startEmbedded } from '../../../db/timescale/embedded/server.ts';
import { createDatabase } from '../../../db/timescale/schema/create-database.ts';
import { letProcessesIn } from '../../../db/timescale/schema/let-processes-in.ts';
import { isOfEarlier, migrateNew } from '../../../db/timescale/schema/migrate.ts';
import { requireLiveOrganization } from '../../../domain/administration/organizations/live-organization.ts';
import type { Actor } from '../../../domain/changes/actor.ts';
import {
  faultOfAddresses,
  LISTEN_DATABASE_URL,
  MIGRATE_DATABASE_URL,
  withBothWays,
} from '../../../platform/runtime/common-settings.ts';
import { requireMigrated, requireReachable } from '../../../platform/runtime/database.ts';
import { leaveOnSignals, withInterruption } from '../../../platform/runtime/interruption.ts';
import { optionalDatabaseUrl, textSetting } from '../../../platform/runtime/setting-kinds.ts';
import { readSettings } from '../../../platform/runtime/settings.ts';
import { commandLineActor } from '../../standalone/command-line-actor.ts';
import { EMBEDDED_DATABASE } from '../../standalone/database.ts';
import { reportError } from '../command-line/report-error.ts';
import { running } from '../running/running.ts';

export const DATABASE_SETTINGS = {
  DATABASE_URL: optionalDatabaseUrl('the database to work on'),
  LISTEN_DATABASE_URL,
  TAGTRAIL_DATA: textSetting('the folder of the embedded database, used without DATABASE_URL', './data'),
};

export interface Connections {
  db: Database;
  actor: Actor;
  /** The pool behind `db`, for functions with transactions of their own. */
  pool: Pool;
}

/**
 * Runs `work` on the database at DATABASE_URL; else on the embedded one in TAGTRAIL_DATA, started on demand
 * and stopped by its last user, never made.
 *
 * @throws AppError naming the setting if there is no such database, or it is not migrated.
 */
export function withConnections<Result>(
  work: (connections: Connections) => Promise<Result>,
): Promise<Result> {
  return withMigratedUrl(async (url) => {
    const pool = createWritePool(url, { max: 1, patience: null });
    try {
      return await work({ db: databaseOn(pool), actor: commandLineActor(), pool });
    } finally {
      await pool.end();
    }
  });
}

/**
 * {@link withConnections} limited to one organization's data, as in the API.
 *
 * @throws AppError `not_found` if there is no such organization.
 */
export function withOrganization<Result>(
  orgId: number,
  work: (db: OrganizationDatabase, actor: Actor) => Promise<Result>,
): Promise<Result> {
  return withMigratedUrl(async (url) => {
    const door = openOrganizationDoor(url, { max: 2 });
    try {
      const db = door.of(orgId);
      await requireLiveOrganization(db, orgId);
      return await work(db, commandLineActor());
    } finally {
      await door.end();
    }
  });
}

/** {@link withOrganization} as of one instant, for long reads. */
export function withOrganizationSnapshot<Result>(
  orgId: number,
  signal: AbortSignal,
  work: (snapshot: Snapshot) => Promise<Result>,
): Promise<Result> {
  return withMigratedUrl((url) =>
    withSnapshot(url, { orgId, signal }, async (snapshot) => {
      await requireLiveOrganization(snapshot, orgId);
      return work(snapshot);
    }),
  );
}

/** {@link withConnections} with the URL only. */
export async function withMigratedUrl<Result>(work: (url: string) => Promise<Result>): Promise<Result> {
  const { DATABASE_URL, TAGTRAIL_DATA } = withBothWays(
    readSettings(DATABASE_SETTINGS, running().env, [faultOfAddresses]),
  );
  if (DATABASE_URL === null) {
    return withEmbedded(TAGTRAIL_DATA, async (ownerUrl) => {
      // `npm start` may have been killed after making it.
      await migrateNew(ownerUrl);
      return work(await letProcessesIn(ownerUrl));
    });
  }
  await requireReachable(DATABASE_URL);
  await requireMigrated(DATABASE_URL);
  return work(DATABASE_URL);
}

/** {@link withConnections} with a pool only, also for a database of another version, which it leaves unchanged. */
export async function withEarlierToo<Result>(work: (pool: Pool) => Promise<Result>): Promise<Result> {
  const { DATABASE_URL, TAGTRAIL_DATA } = withBothWays(
    readSettings(DATABASE_SETTINGS, running().env, [faultOfAddresses]),
  );
  const withPool = async (url: string) => {
    const pool = createWritePool(url, { max: 1, patience: null });
    try {
      return await work(pool);
    } finally {
      await pool.end();
    }
  };
  if (DATABASE_URL === null) {
    return withEmbedded(TAGTRAIL_DATA, async (ownerUrl) => {
      if (!(await isOfEarlier(ownerUrl))) {
        await migrateNew(ownerUrl);
      }
      return withPool(ownerUrl);
    });
  }
  await requireReachable(DATABASE_URL);
  if (!(await isOfEarlier(DATABASE_URL))) {
    await requireMigrated(DATABASE_URL);
  }
  return withPool(DATABASE_URL);
}

/**
 * Runs `work` as the owner of the tables, migrated or not: by MIGRATE_DATABASE_URL if it is set.
 *
 * @param work gets the address of processes, too, if that is another to be let in.
 */
export async function withOwnerUrl<Result>(
  work: (url: string, processUrl: string | null) => Promise<Result>,
): Promise<Result> {
  const { MIGRATE_DATABASE_URL: ownerUrl, DATABASE_URL, TAGTRAIL_DATA } = readOwnerSettings();
  if (DATABASE_URL === null) {
    return withEmbedded(TAGTRAIL_DATA, (url) => work(url, null));
  }
  if (ownerUrl === null) {
    await requireReachable(DATABASE_URL);
    return work(DATABASE_URL, null);
  }
  await requireReachable(ownerUrl, undefined, 'MIGRATE_DATABASE_URL');
  return work(ownerUrl, DATABASE_URL);
}

function readOwnerSettings() {
  return withBothWays(
    readSettings({ ...DATABASE_SETTINGS, MIGRATE_DATABASE_URL }, running().env, [faultOfAddresses]),
  );
}

/** {@link withOwnerUrl} of a database that need not be there. */
export async function withNewOwnerUrl<Result>(work: (url: string) => Promise<Result>): Promise<Result> {
  const { MIGRATE_DATABASE_URL: ownerUrl, DATABASE_URL, TAGTRAIL_DATA } = readOwnerSettings();
  const url = ownerUrl ?? DATABASE_URL;
  if (url === null) {
    return withNewEmbedded(TAGTRAIL_DATA, work);
  }
  const setting = ownerUrl === null ? undefined : 'MIGRATE_DATABASE_URL';
  await requireReachable(withDatabase(url, 'postgres'), undefined, setting);
  return work(url);
}

/** {@link withOwnerUrl} of a migrated database. */
export function withMigratedOwnerUrl<Result>(work: (url: string) => Promise<Result>): Promise<Result> {
  return withOwnerUrl(async (url) => {
    await requireMigrated(url);
    return work(url);
  });
}

/** Runs `work` on the embedded database, as its owner. @throws AppError naming TAGTRAIL_DATA if there is none. */
async function withEmbedded<Result>(data: string, work: (url: string) => Promise<Result>): Promise<Result> {
  requireEmbedded(data);
  return withNewEmbedded(data, work);
}

/** {@link withEmbedded}, which is made if it is not there. */
async function withNewEmbedded<Result>(
  data: string,
  work: (url: string) => Promise<Result>,
): Promise<Result> {
  const server = await startEmbedded({ data, durable: true });
  const command = running();
  const leaving = leaveOnSignals(async () => {
    reportError(new AppError('unavailable', 'Interrupted; what was under way is taken back'), command);
    await server.stop();
  });
  try {
    const url = withDatabase(server.url, EMBEDDED_DATABASE);
    await createDatabase(url);
    return await work(url);
  } catch (error) {
    // Failures caused by stopping the server are not reported.
    await leaving.ended();
    throw error;
  } finally {
    leaving.cancel();
    // So that the result is still printed.
    await withInterruption(() => server.stop());
  }
}
