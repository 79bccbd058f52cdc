import type { Logger } from 'pino';
import { type AccessDoor, openAccessDoor } from '../../db/timescale/connections/access-door.ts';
import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Lifecycle } from '../runtime/lifecycle.ts';
import { type CredentialCache, type CredentialRow, startCredentials } from './credential-cache.ts';
import { lookUpTogether } from './look-up-together.ts';

export interface Access<Row extends CredentialRow> {
  door: AccessDoor;
  credentials: CredentialCache<Row>;
  askDatabase(): Promise<unknown>;
}

export interface AccessOptions<Row extends CredentialRow> {
  url: string;
  applicationName: string;
  find: (door: AccessDoor, ids: readonly string[]) => Promise<ReadonlyMap<string, Row>>;
}

export async function startAccess<Row extends CredentialRow>(
  { url, applicationName, find }: AccessOptions<Row>,
  { log, lifecycle }: { log: Logger; lifecycle: Lifecycle },
): Promise<Access<Row>> {
  const door = await lifecycle.start(
    'access',
    () => openAccessDoor(url, { max: CONNECTIONS, applicationName }),
    (started) => started.end(),
  );
  const { cache } = await lifecycle.start(
    'credentials',
    () =>
      startCredentials(
        url,
        lookUpTogether((ids) => find(door, ids)),
        log,
      ),
    (started) => started.stop(),
  );
  return {
    door,
    credentials: cache,
    askDatabase: () => door.one(sql.type(rowsOf<{ ok: number }>())`select 1 as ok`),
  };
}

const CONNECTIONS = 2;
