import { constants } from 'node:os';
import type { Pool } from '../../../db/timescale/connections/client.ts';
import { type Database, databaseOn } from '../../../db/timescale/connections/database.ts';
import {
  type OrganizationDatabase,
  openOrganizationDoor,
} from '../../../db/timescale/connections/organization-door.ts';
import { createWritePool } from '../../../db/timescale/connections/pool.ts';
import { type EmbeddedDatabase, startEmbedded } from '../../../db/timescale/embedded/server.ts';
import { createDatabase, withDatabase } from '../../../db/timescale/schema/create-database.ts';
import { migrateNew } from '../../../db/timescale/schema/migrate.ts';
import { requireLiveOrganization } from '../../../domain/administration/organizations/live-organization.ts';
import type { Actor } from '../../../domain/changes/actor.ts';
import { requireMigrated, requireReachable } from '../../../platform/runtime/database.ts';
import { optionalUrl, textSetting } from '../../../platform/runtime/setting-kinds.ts';
import { readSettings } from '../../../platform/runtime/settings.ts';
import { commandLineActor } from '../../standalone/command-line-actor.ts';
import { EMBEDDED_DATABASE } from '../../standalone/database.ts';

const SETTINGS = {
  DATABASE_URL: optionalUrl(
    'the database to work on',
    ['postgres:', 'postgresql:'],
    'postgres://user:password@host:5432/tagtrail',
  ),
  TAGTRAIL_DATA: textSetting('the folder of the embedded database, used without DATABASE_URL', './data'),
};

/** What a command works with. */
export interface Connections {
  db: Database;
  /** Whoever typed the command. */
  actor: Actor;
  /** What `db` is on, for what brings its own transactions. */
  pool: Pool;
}

/**
 * Runs `work` on the database that DATABASE_URL names; else on the embedded one in TAGTRAIL_DATA, started if nobody
 * uses it, and stopped if nobody does any more.
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
 * As {@link withConnections}, with nothing but one organization's data in reach, as the API has it.
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

/** As {@link withConnections}, with the address only. */
export function withMigratedUrl<Result>(work: (url: string) => Promise<Result>): Promise<Result> {
  return withDatabaseUrl(async (url, isEmbedded) => {
    // Whoever comes first to an embedded one that is new migrates it, be it a command or all of tagtrail that is starting.
    await (isEmbedded ? migrateNew(url) : requireMigrated(url));
    return work(url);
  });
}

/** As {@link withMigratedUrl}, migrated or not. */
export async function withDatabaseUrl<Result>(
  work: (url: string, isEmbedded: boolean) => Promise<Result>,
): Promise<Result> {
  const { DATABASE_URL, TAGTRAIL_DATA } = readSettings(SETTINGS, process.env);
  if (DATABASE_URL !== null) {
    await requireReachable(DATABASE_URL);
    return work(DATABASE_URL, false);
  }
  const server = await startEmbedded({ data: TAGTRAIL_DATA, durable: true });
  const leaving = leaveOnSignals(server);
  try {
    const url = withDatabase(server.url, EMBEDDED_DATABASE);
    await createDatabase(url);
    return await work(url, true);
  } catch (error) {
    // What fails because its server is stopped needs no telling.
    await leaving.ended();
    throw error;
  } finally {
    leaving.cancel();
    await server.stop();
  }
}

/**
 * Ctrl-C leaves no server behind: what is under way is taken back. Commands that end in order by themselves when they
 * are asked to listen to the same signals, and leave then.
 */
function leaveOnSignals(server: EmbeddedDatabase): { ended(): Promise<void>; cancel(): void } {
  let ended = Promise.resolve();
  const onSignal = (signal: NodeJS.Signals) => {
    if (process.listenerCount(signal) === 1) {
      process.stderr.write('Interrupted; what was under way is taken back\n');
      ended = server.stop().finally(() => process.exit(128 + constants.signals[signal]));
    }
  };
  for (const signal of SIGNALS) {
    process.on(signal, onSignal);
  }
  return {
    ended: () => ended,
    cancel: () => {
      for (const signal of SIGNALS) {
        process.off(signal, onSignal);
      }
    },
  };
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
