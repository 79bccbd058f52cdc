import type pg from 'pg';
import { AppError } from '../../../base/errors.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { addressesOf } from '../connections/addresses.ts';
import { ADVISORY_LOCKS, ORGANIZATION_LOCKS } from '../connections/advisory-locks.ts';
import { Client } from '../connections/client.ts';
import { connectionConfig } from '../connections/connection.ts';
import { placeOf } from '../connections/database-url.ts';
import type { Connection } from '../queries/verbs.ts';
import { untilInterrupted } from './break-off.ts';
import { type MovedTable, movedTables } from './moved-tables.ts';
import { slotOf } from './replication.ts';
import type { MovedOrganization } from './requirements.ts';
import type { Route } from './route.ts';

/** Cells that an `integer` has room for, with 50,000,000 ids each. */
export const MOST_CELLS = 42;

/** Their ids are unique in a whole cell, so that an organization can go only where they are not taken. */
const SEQUENCES = {
  integer: ['organizations', 'users', 'readers', 'handhelds', 'mqtt_consumers', 'webhooks'],
  bigint: ['rejected_messages', 'user_links'],
};

const WIDTHS = { integer: 50_000_000n, bigint: 1_000_000_000_000n };

export interface CellMove extends MovedOrganization {
  from: string;
  to: string;
}

/** The connections of a move, one to each cell. */
export interface Cells {
  from: Client;
  to: Client;
  orgId: number;
  slot: string;
  tables: readonly MovedTable[];
}

export async function withCells<Result>(
  { from: fromUrl, to: toUrl, orgId }: Pick<CellMove, 'from' | 'to' | 'orgId'>,
  work: (cells: Cells) => Promise<Result>,
  signal = new AbortController().signal,
): Promise<Result> {
  const from = await connect(fromUrl);
  try {
    // Commits that wait for the disk tell how far the log is written.
    await from.query('set synchronous_commit = on');
    const to = await connect(toUrl, true);
    try {
      await requireTables(to, toUrl);
      await requireOnly(from, ORGANIZATION_LOCKS.leavingCell, orgId);
      // Statements of a killed run may still be executing there.
      await requireOnly(to, ORGANIZATION_LOCKS.arrivingAtCell, orgId);
      await untilInterrupted(signal, [from, to], async () => {
        await keepFromSweeping(from);
        await keepFromSweeping(to);
      });
      const { rows } = await from.query<{ oid: number }>(
        'select oid from pg_database where datname = current_database()',
      );
      return await work({
        ...{ from, to, orgId, slot: slotOf(orgId, rows[0]?.oid ?? 0) },
        ...{ tables: await movedTables(from) },
      });
    } finally {
      await to.end();
    }
  } finally {
    await from.end();
  }
}

export async function connect(url: string, pipeline = false): Promise<Client> {
  const client = new Client({ ...connectionConfig(url, 'tagtrail cell move'), pipeline });
  // A lost connection fails the current query.
  client.on('error', () => {});
  await client.connect();
  return client;
}

async function requireTables(to: pg.Client, url: string): Promise<void> {
  const { rows } = await to.query<{ is_there: boolean }>(
    `select to_regclass('public.cell_moves') is not null as is_there`,
  );
  if (rows[0]?.is_there !== true) {
    throw new AppError(
      'conflict',
      `The database at --to (${nameOf(url)}) is not migrated; with that cell's settings run ${TAGTRAIL} migrate, then cell number`,
    );
  }
}

/** For as long as the session lasts. @throws AppError `conflict` if another has it. */
export async function requireOnly(client: pg.Client, lock: number, orgId: number): Promise<void> {
  const { rows } = await client.query<{ is_only: boolean }>(
    'select pg_try_advisory_lock($1, $2) as is_only',
    [lock, orgId],
  );
  if (rows[0]?.is_only !== true) {
    throw new AppError('conflict', `Another process is moving organization ${orgId}`);
  }
}

/** Neither cell may drop old rows while both are compared: they would do so at different hours. */
async function keepFromSweeping(client: pg.Client): Promise<void> {
  await client.query('select pg_advisory_lock_shared($1)', [ADVISORY_LOCKS.sweep]);
}

export interface MoveHooks {
  signal: AbortSignal;
  onProgress(what: string): void;
  /** Leads requests to the other cell; called while the organization is held, and again if the move is completed later. */
  onSwitched(route: Route): Promise<void>;
  /** Logs that the organization leaves, in the transaction of the switch at the old cell. */
  logLeaving(transaction: Connection): Promise<void>;
  /** Logs that it has arrived, in the transaction that opens it at the new one. */
  logArrival(transaction: Connection): Promise<void>;
}

/** Without a password. */
export function nameOf(url: string): string {
  return placeOf(addressesOf(url).direct);
}

/**
 * Lets the cell draw these ids from a range that no other cell draws from.
 *
 * @throws AppError `conflict` if ids were drawn from another range already.
 */
export async function numberCell(url: string, cell: number): Promise<void> {
  const client = new Client(connectionConfig(url, 'tagtrail cell number'));
  client.on('error', () => {});
  await client.connect();
  try {
    await setRanges(client, cell);
  } finally {
    await client.end();
  }
}

async function setRanges(client: pg.Client, cell: number): Promise<void> {
  await client.query('begin');
  for (const kind of ['integer', 'bigint'] as const) {
    const first = BigInt(cell - 1) * WIDTHS[kind] + 1n;
    const last = BigInt(cell) * WIDTHS[kind];
    for (const table of SEQUENCES[kind]) {
      const { rows } = await client.query<{ sequence: string; drawn: string | null }>(
        `select sequence, pg_sequence_last_value(sequence::regclass)::text as drawn
         from pg_get_serial_sequence($1, 'id') as sequence`,
        [table],
      );
      const { sequence = '', drawn = null } = rows[0] ?? {};
      if (drawn !== null && (BigInt(drawn) < first || BigInt(drawn) > last)) {
        throw new AppError(
          'conflict',
          `This cell has used ids of another range already (${table}: ${drawn}). The first cell is number 1; number others before you create anything in them`,
        );
      }
      const restart = drawn === null ? `restart with ${first}` : '';
      await client.query(
        `alter sequence ${sequence} minvalue ${first} maxvalue ${last} start with ${first} ${restart}`,
      );
    }
  }
  await client.query('commit');
}
