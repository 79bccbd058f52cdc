import pg from 'pg';
import { conflict, IdsUsedUp, StatementTimedOut } from '../../../base/errors.ts';
import { FairSemaphore } from '../../../base/fair-semaphore.ts';
import { type RowQuery, toConfig } from '../queries/sql.ts';
import { type Connection, verbsOn } from '../queries/verbs.ts';
import type { Pool, PoolClient } from './client.ts';
import { type GroupedWrite, GroupedWrites, LOCK_TIMEOUT, retryWhileLocked } from './grouped-writes.ts';
import { type ListOptions, Lists } from './lists.ts';
import { rethrowLost } from './lost-database.ts';
import { ORGANIZATION_ROLE } from './organization-role.ts';
import { PipelinedConnections } from './pipelined-connections.ts';
import { createPool } from './pool.ts';
import {
  ENTER,
  ENTER_BRIEFLY,
  ENTER_FOR_WHOLE,
  entering,
  enteringToWrite,
  type Preceding,
} from './preceded-query.ts';
import { Replica, type ReplicaReads } from './replica.ts';
import { ASK_PRIMARY } from './replica-position.ts';
import { PATIENCE, ScanningConnections, WAITING_PER_ORGANIZATION } from './scanning-connections.ts';
import { ScanningPool } from './scanning-pool.ts';
import { type ServiceConnections, serviceConfig } from './service-connections.ts';
import { SilentConnections } from './silent-connections.ts';
import { isCancelled, isLockTimeout, isUsedUp } from './sql-state.ts';
import { inOneTrip, inTransaction, isUniqueViolation } from './transaction.ts';
import { WriteOutage } from './write-outage.ts';

/** Sends one organization's queries. Each query still names `orgId`. */
export interface OrganizationConnection extends Connection {
  readonly orgId: number;
}

type Transact = <Result>(
  work: (transaction: OrganizationConnection) => Promise<Result>,
  last?: (transaction: OrganizationConnection, result: Result) => Promise<unknown>,
) => Promise<Result>;

export interface OrganizationDatabase extends OrganizationConnection {
  /**
   * Runs `work` in a transaction; retries if the database aborted it in favour of another, or if a concurrent
   * commit violates uniqueness that `work` had checked.
   *
   * Anything that may wait for locks belongs here: single statements share a connection, where the answers of
   * others would queue behind. A transaction that waits for a lock for half a second begins again later, so that
   * it does not keep a connection from other organizations.
   *
   * @param last sends a statement that travels with the commit.
   */
  transaction: Transact;
  /** A transaction of seconds, such as an import, which waits for locks rather than begin again. */
  longTransaction: Transact;
  grouped<Item, Row, Outcome>(write: GroupedWrite<Item, Row, Outcome>, item: Item): Promise<Outcome>;
  listing(options: ListOptions): OrganizationConnection;
}

/**
 * The only way to organizations' (tenants') tables: as `tagtrail_api`, a role that row-level security limits
 * to the organization named by a setting. Every statement is preceded by that setting, in the same
 * transaction and the same write, so it costs no round trip and leaves nothing behind.
 */
export interface OrganizationDoor {
  /** For one request. If a request fails after a change, the error does not claim that nothing changed. */
  of(orgId: number): OrganizationDatabase;
  /** The server that answered lists that may read much; null without a replica. */
  readonly replicaReads: Readonly<ReplicaReads> | null;
  /** @throws the reason if the database refused the last change of any caller. */
  requireWriting(): void;
  end(): Promise<void>;
}

export interface OrganizationConnections extends ServiceConnections {
  /** Time limit, in milliseconds, of statements that may read much. */
  scanTimeout?: number;
  /** Address of replicas, which answer these while they are up to date. */
  readUrl?: string | null;
  /** An organization's change was committed. */
  onChanged?: ((orgId: number) => void) | undefined;
}

/** What the databases of all organizations share. */
interface Opened {
  shared: PipelinedConnections;
  exclusive: Pool;
  turns: FairSemaphore<number>;
  outage: WriteOutage;
  groups: GroupedWrites;
  lists: Lists;
  onChanged: (orgId: number) => void;
}

/**
 * @param connections at most `max`, half of them for transactions. An organization has at most half of those, its
 * second only while another is free: its own import can block its transactions for seconds. One is kept for
 * organizations that changed little recently. Others queue, with bounds. Up to {@link SCANNING_CONNECTIONS} more are
 * opened on demand.
 */
export function openOrganizationDoor(
  url: string,
  {
    scanTimeout = SCAN_TIMEOUT,
    readUrl = null,
    onChanged = () => {},
    ...connections
  }: OrganizationConnections,
): OrganizationDoor {
  const config = serviceConfig(url, connections, ORGANIZATION_ROLE);
  const silent = new SilentConnections(url);
  const sharedAtMost = Math.ceil(connections.max / 2);
  const shared = new PipelinedConnections(config, sharedAtMost, [ENTER, ENTER_BRIEFLY], silent);
  const scan = { connections: SCANNING_CONNECTIONS, timeout: scanTimeout };
  const replica = readUrl === null ? null : openReplica(readUrl, connections, scan, shared);
  const scanning = new ScanningConnections(
    new ScanningPool(config, scan, [ENTER, ENTER_FOR_WHOLE], silent),
    replica,
    scan,
  );
  const exclusive = createPool(config, Math.floor(connections.max / 2), silent);
  const { max } = exclusive.options;
  const turns = new FairSemaphore<number>({
    ...{ total: max, perKey: 1, perKeyWithRoom: Math.ceil(max / 2), kept: max > 1 ? 1 : 0 },
    ...{ waitingPerKey: WAITING_PER_ORGANIZATION, patience: PATIENCE },
  });
  const outage = new WriteOutage('changes are refused');
  const lists = new Lists(shared, scanning);
  const groups = new GroupedWrites((orgId, write, items) =>
    turns.run(orgId, async () => {
      const preceding = [enteringToWrite(orgId, LOCK_TIMEOUT), precedingOf(write.first(orgId, items))];
      return (await inOneTrip(exclusive, preceding, toConfig(write.query(orgId, items)))).rows;
    }),
  );
  return {
    of: (orgId) =>
      organizationDatabase(orgId, { shared, exclusive, turns, outage, groups, lists, onChanged }),
    replicaReads: replica?.reads ?? null,
    requireWriting: () => outage.requireNone(),
    end: async () => {
      await Promise.all([shared.end(), exclusive.end(), scanning.end()]);
    },
  };
}

function openReplica(
  readUrl: string,
  connections: ServiceConnections,
  scan: ConstructorParameters<typeof ScanningPool>[1],
  shared: PipelinedConnections,
): Replica {
  const config = {
    ...serviceConfig(readUrl, connections, ORGANIZATION_ROLE),
    connectionTimeoutMillis: REPLICA_PATIENCE,
  };
  return new Replica(
    new ScanningPool(config, scan, [ENTER, ENTER_FOR_WHOLE], new SilentConnections(readUrl)),
    async (orgId) => (await shared.query(entering(orgId), ASK_PRIMARY)).rows[0],
  );
}

function organizationDatabase(
  orgId: number,
  { shared, exclusive, turns, outage, groups, lists, onChanged }: Opened,
): OrganizationDatabase {
  let isChanged = false;
  const rethrow = (error: unknown): never => rethrowKnown(error, isChanged, QUERY_TIMED_OUT);
  const on = (client: PoolClient): OrganizationConnection => ({
    orgId,
    ...verbsOn((query) => client.query(query)),
  });
  const changing = async <Result>(change: Promise<Result>): Promise<Result> => {
    const result = await outage
      .during(change)
      .catch((error) => rethrowKnown(error, isChanged, CHANGE_TIMED_OUT));
    isChanged = true;
    onChanged(orgId);
    return result;
  };
  const transacting =
    (lockTimeout: number): Transact =>
    (work, last) =>
      turns.run(orgId, () =>
        inTransaction(
          exclusive,
          async (client) => {
            const set = client.query(enteringToWrite(orgId, lockTimeout));
            return (await Promise.all([work(on(client)), set]))[0];
          },
          isUniqueViolation,
          last && ((client, result) => last(on(client), result)),
        ),
      );
  return {
    orgId,
    ...verbsOn((query) => shared.query(entering(orgId), query).catch(rethrow)),
    transaction: (work, last) => changing(retryWhileLocked(() => transacting(LOCK_TIMEOUT)(work, last))),
    longTransaction: (work, last) => changing(transacting(0)(work, last)),
    grouped: (write, item) => changing(groups.run(orgId, write, item)),
    listing: (options) => ({
      orgId,
      ...verbsOn((query) => lists.query(orgId, query, options).catch(rethrow)),
    }),
  };
}

/** Few, since each is a database process that is busy all the time. */
const SCANNING_CONNECTIONS = 4;

const SCAN_TIMEOUT = 10_000;

/** Milliseconds to connect to a replica, while the primary waits to answer in its place. */
const REPLICA_PATIENCE = 1_000;

function precedingOf(first: RowQuery<never>): Preceding {
  const { name, text, values = [] } = toConfig(first);
  if (name === undefined) {
    throw new Error('only a named statement can precede another');
  }
  return { name, text, values: values as (string | Buffer)[] };
}

const QUERY_TIMED_OUT =
  'The query took too long and was cancelled; narrow it with filters, or try again later';

const CHANGE_TIMED_OUT =
  'The change took too long, or waited too long for recorded scans, and was cancelled; try again later';

/**
 * @throws StatementTimedOut for a statement beyond its time limit, IdsUsedUp, AppError `conflict` for too many rows, errors of {@link
 * rethrowLost}; otherwise the error given.
 */
function rethrowKnown(error: unknown, isChanged: boolean, timedOut: string): never {
  if (isUsedUp(error)) {
    throw new IdsUsedUp(error);
  }
  if (isTooManyRows(error)) {
    throw conflict(error.message);
  }
  if (isCancelled(error) || isLockTimeout(error)) {
    throw new StatementTimedOut(timedOut, error);
  }
  rethrowLost(error, isChanged);
}

/** Raised by `add_live_rows`, with a message for people. */
function isTooManyRows(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError && error.code === 'TT001';
}
