import type { Logger } from 'pino';
import { type DatabasePool, sql } from 'slonik';
import { rowsOf } from '../../../db/timescale/organization-door.ts';
import { createQueryPool } from '../../../db/timescale/pool.ts';
import type { Lifecycle } from '../runtime/lifecycle.ts';
import type { CredentialCache, CredentialRow } from './credential-cache.ts';
import { startCredentials } from './start-credentials.ts';

export interface Access<Row extends CredentialRow> {
  /** Of the role that sees credentials and nothing else. */
  pool: DatabasePool;
  credentials: CredentialCache<Row>;
  /** Rejects if the database does not answer. */
  askDatabase(): Promise<unknown>;
}

export interface AccessOptions<Row extends CredentialRow> {
  url: string;
  /** What the connections are called in the database. */
  applicationName: string;
  /** Looks one credential up by the id in it. */
  find: (pool: DatabasePool, id: string) => Promise<Row | null>;
}

/** Starts what knows who may come in, until the process stops. */
export async function startAccess<Row extends CredentialRow>(
  { url, applicationName, find }: AccessOptions<Row>,
  { log, lifecycle }: { log: Logger; lifecycle: Lifecycle },
): Promise<Access<Row>> {
  const pool = await lifecycle.start(
    'access',
    () => createQueryPool(url, { max: CONNECTIONS, role: 'tagtrail_access', applicationName }),
    (started) => started.end(),
  );
  const { cache } = await lifecycle.start(
    'credentials',
    () => startCredentials(url, (id) => find(pool, id), log),
    (started) => started.stop(),
  );
  return {
    pool,
    credentials: cache,
    askDatabase: () => pool.one(sql.type(rowsOf<{ ok: number }>())`select 1 as ok`),
  };
}

/** One process's, for looking credentials up and for saying whether the database is there. */
const CONNECTIONS = 2;
