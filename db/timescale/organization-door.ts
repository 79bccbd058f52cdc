import pg from 'pg';
import type { QuerySqlToken } from 'slonik';
import { connectionConfig } from './connection.ts';
import { PipelinedConnections } from './pipelined-connections.ts';
import { IDLE_TIMEOUT } from './pool.ts';
import { inTransaction } from './transaction.ts';

/** A query of rows, as slonik's `sql.type` and `sql.prepared` compose it. */
export type RowQuery<Row> = QuerySqlToken<RowType<Row>>;

/** How one organization's queries are sent. Every query names `orgId` all the same. */
export interface OrganizationConnection {
  readonly orgId: number;
  any<Row>(query: RowQuery<Row>): Promise<readonly Row[]>;
  /** @throws RangeError if there is not exactly one row. */
  one<Row>(query: RowQuery<Row>): Promise<Row>;
  /** @throws RangeError if there is more than one row. */
  maybeOne<Row>(query: RowQuery<Row>): Promise<Row | null>;
  /** The first column of the row. @throws RangeError if there is more than one row. */
  maybeOneFirst<Row extends object>(query: RowQuery<Row>): Promise<Row[keyof Row] | null>;
  /** Whether there is any row. */
  exists(query: RowQuery<unknown>): Promise<boolean>;
  /** For what it does. */
  query(query: RowQuery<unknown>): Promise<void>;
}

export interface OrganizationDatabase extends OrganizationConnection {
  /** Runs `work` in a transaction; again from the start if the database gave it up for another's sake. */
  transaction<Result>(work: (transaction: OrganizationConnection) => Promise<Result>): Promise<Result>;
}

/**
 * The one door to the tables of organizations: whoever comes through it is `tagtrail_api`, which sees the rows of the
 * organization that a setting names. No statement goes through without that setting in front of it, in the same
 * transaction and the same write, so it costs no round trip and leaves nothing behind.
 */
export interface OrganizationDoor {
  of(orgId: number): OrganizationDatabase;
  end(): Promise<void>;
}

export function openOrganizationDoor(
  url: string,
  { max, applicationName = 'tagtrail' }: { max: number; applicationName?: string },
): OrganizationDoor {
  const config = {
    ...connectionConfig(url, applicationName, ORGANIZATION_ROLE),
    idle_in_transaction_session_timeout: IDLE_TIMEOUT,
    statement_timeout: STATEMENT_TIMEOUT,
    pipeline: true,
  };
  const shared = new PipelinedConnections(config, Math.ceil(max / 2), ENTER);
  const exclusive = new pg.Pool({ ...config, max: Math.floor(max / 2) });
  exclusive.on('error', () => {});
  exclusive.on('connect', (client) => client.on('error', () => {}));
  return {
    of: (orgId) => ({
      ...connectionOf(orgId, (query) => shared.query(String(orgId), query)),
      transaction: (work) =>
        inTransaction(exclusive, async (client) => {
          const set = client.query({ ...ENTER, values: [String(orgId)] });
          const worked = work(connectionOf(orgId, (query) => client.query(query)));
          return (await Promise.all([worked, set]))[0];
        }),
    }),
    end: async () => {
      await Promise.all([shared.end(), exclusive.end()]);
    },
  };
}

const ORGANIZATION_ROLE = 'tagtrail_api';

/** Milliseconds. */
const STATEMENT_TIMEOUT = 30_000;

/** Names the organization to the policies until the transaction ends; the condition is never true. */
const ENTER = {
  name: 'enter-organization',
  text: `select from (select set_config('tagtrail.org_id', $1, true) as org_id offset 0) setting where org_id is null`,
};

function connectionOf(
  orgId: number,
  send: (query: pg.QueryConfig) => Promise<pg.QueryResult>,
): OrganizationConnection {
  const any = async <Row>(query: RowQuery<Row>): Promise<readonly Row[]> =>
    (await send(toConfig(query))).rows;
  const maybeOne = async <Row>(query: RowQuery<Row>): Promise<Row | null> => {
    const rows = await any(query);
    if (rows.length > 1) {
      throw new RangeError(`${rows.length} rows from a query for at most one`);
    }
    return rows[0] ?? null;
  };
  return {
    orgId,
    any,
    maybeOne,
    maybeOneFirst: async <Row extends object>(query: RowQuery<Row>) => {
      const row = await maybeOne(query);
      const [first] = row === null ? [] : Object.values(row);
      return (first ?? null) as Row[keyof Row] | null;
    },
    exists: async (query) => (await any(query)).length > 0,
    query: async (query) => {
      await send(toConfig(query));
    },
    one: async (query) => {
      const row = await maybeOne(query);
      if (row === null) {
        throw new RangeError('no row from a query for one');
      }
      return row;
    },
  };
}

function toConfig({ name, sql, values }: Pick<RowQuery<unknown>, 'name' | 'sql' | 'values'>): pg.QueryConfig {
  const text = sql.replaceAll(SLONIK_PLACEHOLDER, '$');
  return { text, values: [...values], ...(name === undefined ? {} : { name }) };
}

/** slonik numbers parameters as `$slonik_1` and leaves it to whoever sends the query to write `$1`. */
const SLONIK_PLACEHOLDER = '$slonik_';

/**
 * The type of a query's rows, for `sql.type` and `sql.prepared`. The schema and the query are written side by side and
 * tested on the database, so rows are not validated again one by one.
 */
export function rowsOf<Row>(): RowType<Row> {
  return PASS as RowType<Row>;
}

type RowType<Row> = QuerySqlToken['parser'] & {
  readonly '~standard': { readonly types?: { readonly input: Row; readonly output: Row } | undefined };
};

const PASS: QuerySqlToken['parser'] = {
  '~standard': { version: 1, vendor: 'tagtrail', validate: (value) => ({ value }) },
};
