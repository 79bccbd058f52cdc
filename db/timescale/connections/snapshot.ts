import type pg from 'pg';
import { type RowQuery, toConfig } from '../queries/sql.ts';
import { verbsOn } from '../queries/verbs.ts';
import { cancelRunning } from './cancel-running.ts';
import { thrownByPg } from './connection-lost.ts';
import { rethrowLost } from './lost-database.ts';
import type { OrganizationConnection } from './organization-door.ts';
import { ORGANIZATION_ROLE } from './organization-role.ts';
import { createClient } from './pooled-client.ts';
import { entering } from './preceded-query.ts';
import { serviceConfig } from './service-connections.ts';

/** One organization's data as of one instant, however long it takes to read. */
export interface Snapshot extends OrganizationConnection {
  /** Reads by a cursor, so that no process holds all rows; one query at a time. */
  batches<Row>(query: RowQuery<Row>): AsyncGenerator<readonly Row[], void>;
}

export interface SnapshotOptions {
  orgId: number;
  applicationName?: string;
  /** Aborting cancels the statement that runs; the signal's reason is thrown. */
  signal: AbortSignal;
}

const BATCH = 2_000;

/** Milliseconds to wait for the reader of the rows; until then the database keeps deleted rows. */
const IDLE_TIMEOUT = 600_000;

/** The opener must end it. */
export interface OpenSnapshot extends Snapshot {
  end(): Promise<void>;
}

/**
 * Runs `work` in a {@link openSnapshot snapshot}.
 *
 * @throws DatabaseUnavailable
 */
export async function withSnapshot<Result>(
  url: string,
  options: SnapshotOptions,
  work: (snapshot: Snapshot) => Promise<Result>,
): Promise<Result> {
  const snapshot = await openSnapshot(url, options);
  try {
    return await work(snapshot);
  } finally {
    await snapshot.end();
  }
}

/**
 * A read-only transaction on a connection of its own, as the organization's role. Statements may take any time. Cursors are
 * planned to be read to their end; by default PostgreSQL hurries to the first rows.
 *
 * @throws DatabaseUnavailable
 */
export async function openSnapshot(
  url: string,
  { orgId, applicationName, signal }: SnapshotOptions,
): Promise<OpenSnapshot> {
  const named = applicationName === undefined ? {} : { applicationName };
  const client = createClient(
    serviceConfig(url, { max: 1, patience: null, ...named }, ORGANIZATION_ROLE, {
      ...{ cursor_tuple_fraction: '1', jit: 'off' },
      idle_in_transaction_session_timeout: String(IDLE_TIMEOUT),
    }),
  );
  const rethrow = (error: unknown): never => {
    signal.throwIfAborted();
    rethrowLost(thrownByPg(error));
  };
  const send: Send = (query) => client.query(query).catch(rethrow);
  let cancelled: Promise<void> | undefined;
  const cancel = () => {
    cancelled = cancelRunning(client);
  };
  const end = async () => {
    signal.removeEventListener('abort', cancel);
    await cancelled;
    await client.end();
  };
  await client.connect().catch(rethrow);
  signal.addEventListener('abort', cancel);
  try {
    signal.throwIfAborted();
    await send({ text: 'begin isolation level repeatable read, read only' });
    await send(entering(orgId));
  } catch (error) {
    await end();
    throw error;
  }
  return { orgId, ...verbsOn(send), batches: (query) => batches(send, query, signal), end };
}

type Send = (query: pg.QueryConfig) => Promise<pg.QueryResult>;

async function* batches<Row>(
  send: Send,
  query: RowQuery<Row>,
  signal: AbortSignal,
): AsyncGenerator<readonly Row[], void> {
  const { text, values = [] } = toConfig(query);
  // One before it may have been left early.
  await send({ text: 'close all' });
  await send({ text: `declare batches no scroll cursor for ${text}`, values });
  for (let isOver = false; !isOver; ) {
    signal.throwIfAborted();
    const { rows } = await send({ text: `fetch ${BATCH} from batches` });
    isOver = rows.length < BATCH;
    if (rows.length > 0) {
      yield rows;
    }
  }
}
