import pg from 'pg';
import { ComposedStatements } from '../queries/composed-statements.ts';

/** Sets the organization for row-level security until the transaction ends; the condition is never true. */
export const ENTER: NamedStatement = {
  name: 'enter-organization',
  text: `select from (select set_config('tagtrail.org_id', $1, true) as org_id offset 0) setting where org_id is null`,
  parameters: 1,
};

/** Bytes from which a table's statistics matter, and the factor by which it may grow before they are out of date. */
const GROWN = { from: 10 * 8_192, times: 3 };

/**
 * {@link ENTER} for a statement that joins whole tables. While one of these four has no statistics, as after a first import,
 * or has outgrown them, nested loops are off: PostgreSQL would expect few rows of an organization, and compare each with
 * each, 4 million times for a report of 2,000 positions. Histories are not asked: lists would wait for locks on them.
 */
export const ENTER_FOR_WHOLE: NamedStatement = {
  name: 'enter-organization-for-whole',
  text: `select from (
      select set_config('tagtrail.org_id', $1, true) as org_id,
        set_config('enable_nestloop', case when exists (
          select from pg_class cross join lateral pg_relation_size(oid) as bytes
          where oid = any('{assets,locations,positions,tags}'::regclass[])
            and bytes > ${GROWN.from} and (reltuples <= 0 or bytes > relpages::bigint * 8192 * ${GROWN.times})
        ) then 'off' else 'on' end, true) as loops offset 0
    ) setting where org_id is null or loops is null`,
  parameters: 1,
};

/** Milliseconds that a list may take among look-ups. */
export const BRIEF = 100;

/**
 * {@link ENTER} with a time limit, and generic plans: finding a row by its key takes PostgreSQL 0.15 ms, and planning that
 * 0.9. Without the setting it plans each time, because a generic plan expects ten keys where one is given.
 */
export const ENTER_BRIEFLY: NamedStatement = {
  name: 'enter-organization-briefly',
  text: `select from (
      select set_config('tagtrail.org_id', $1, true) as org_id,
        set_config('statement_timeout', '${BRIEF}', true) as timeout,
        set_config('plan_cache_mode', 'force_generic_plan', true) as plans offset 0
    ) setting where org_id is null or timeout is null or plans is null`,
  parameters: 1,
};

/**
 * {@link ENTER} with a lock timeout, and generic plans: PostgreSQL re-plans statements with arrays each time,
 * expecting fewer elements than in general, which was a tenth of a create with a tag; and for an organization
 * younger than the statistics it picks the wrong index. The cost settings lead it to the index with the
 * fewest rows, also without statistics (`findByIndexes` in `transaction.ts`).
 */
const ENTER_TO_WRITE: NamedStatement = {
  name: 'enter-organization-to-write',
  text: `select from (
      select set_config('tagtrail.org_id', $1, true) as org_id, set_config('lock_timeout', $2, true) as timeout,
        set_config('plan_cache_mode', 'force_generic_plan', true) as plans,
        set_config('enable_seqscan', 'off', true) as scans, set_config('cpu_index_tuple_cost', '1', true) as tuples,
        set_config('cpu_operator_cost', '0', true) as operators offset 0
    ) setting
    where org_id is null or timeout is null or plans is null or scans is null or tuples is null or operators is null`,
  parameters: 2,
};

export function entering(orgId: number): Preceding {
  return { name: ENTER.name, text: ENTER.text, values: [String(orgId)] };
}

export function enteringForWhole(orgId: number): Preceding {
  return { name: ENTER_FOR_WHOLE.name, text: ENTER_FOR_WHOLE.text, values: [String(orgId)] };
}

export function enteringBriefly(orgId: number): Preceding {
  return { name: ENTER_BRIEFLY.name, text: ENTER_BRIEFLY.text, values: [String(orgId)] };
}

/** @param lockTimeout milliseconds; 0 for none. */
export function enteringToWrite(orgId: number, lockTimeout: number): Preceding {
  return {
    name: ENTER_TO_WRITE.name,
    text: ENTER_TO_WRITE.text,
    values: [String(orgId), String(lockTimeout)],
  };
}

export interface Preceding {
  name: string;
  text: string;
  values: (string | Buffer)[];
}

export interface NamedStatement {
  name: string;
  text: string;
  parameters: number;
}

/** Prepares a statement by running it with empty values. */
export async function prepareStatement(client: pg.ClientBase, statement: NamedStatement): Promise<void> {
  const { name, text, parameters } = statement;
  await client.query({ name, text, values: Array<string>(parameters).fill('') });
}

/** Prepares a statement without running it, unless it is prepared already. */
export async function prepareOnce(client: pg.ClientBase, name: string, text: string): Promise<void> {
  if (preparedOn(client)[name] === undefined) {
    await new Promise<void>((resolve, reject) => {
      const preparing = new Preparing(name, text);
      preparing.callback = (error) => (error === null ? resolve() : reject(error));
      client.query(preparing);
    });
  }
}

/** Internal bookkeeping of `pg`, whose version is pinned. */
function preparedOn(client: pg.ClientBase): Record<string, string> {
  const { connection } = client as unknown as { connection: { parsedStatements: Record<string, string> } };
  return connection.parsedStatements;
}

/**
 * Sends a query behind other statements in one message sequence with a single Sync. To PostgreSQL that is one
 * transaction: settings local to the first apply to the others only, and if one fails those behind it do not
 * run (PostgreSQL documentation, "Extended Query", on pipelining). One sequence is also less work than two:
 * figures in `test/bench/README.md`.
 */
export function sendPreceded(
  client: pg.ClientBase,
  preceding: readonly Preceding[],
  query: pg.QueryConfig,
): Promise<pg.QueryResult> {
  return new Promise((resolve, reject) => {
    const preceded = new PrecededQuery(preceding, query);
    preceded.callback = (error, result) => (error === null ? resolve(result) : reject(error));
    client.query(preceded);
  });
}

/** Undocumented parts of `pg`'s query; the version is pinned and tests hold the behaviour. */
interface InnerQuery {
  name: string | undefined;
  text: string;
  values: unknown[] | undefined;
  queryMode: 'extended' | undefined;
  callback: (error: Error | null, result: pg.QueryResult) => void;
  _result: Columns;
  _accumulateRows: boolean;
  submit(connection: pg.Connection): void;
  prepare(connection: pg.Connection): void;
  handleRowDescription(message: unknown): void;
  handleCommandComplete(message: unknown, connection: pg.Connection): void;
}

interface Columns {
  fields: unknown;
  _parsers: unknown;
  _prebuiltEmptyResultObject: unknown;
}

const InnerQuery = pg.Query as unknown as new (config: Partial<pg.QueryConfig>) => InnerQuery;

export class Preparing extends InnerQuery {
  constructor(name: string, text: string) {
    super({ name, text });
    this.queryMode = 'extended';
  }

  override prepare(connection: pg.Connection): void {
    connection.parse({ name: this.name ?? '', text: this.text, types: [] }, true);
    connection.sync();
  }
}

export class PrecededQuery extends InnerQuery {
  readonly #preceding: readonly Preceding[];
  #unprepared: readonly Preceding[] | null = null;
  #known: KnownColumns | null = null;
  #completed = 0;

  constructor(preceding: readonly Preceding[], { name, text, values }: pg.QueryConfig) {
    // Cloning a given configuration property by property would take 4 us more.
    super({});
    this.name = name;
    this.text = text;
    this.values = values;
    // The simple protocol, used without name and values, would bypass `prepare`.
    this.queryMode = 'extended';
    this.#preceding = preceding;
  }

  /**
   * Sends the texts of all statements instead of names of prepared ones.
   *
   * @param first precedes the others.
   */
  unprepared(first: Preceding | null): this {
    this.#unprepared = first === null ? this.#preceding : [first, ...this.#preceding];
    this.name = undefined;
    return this;
  }

  override prepare(connection: pg.Connection): void {
    if (this.#unprepared !== null) {
      for (const { text, values } of this.#unprepared) {
        connection.parse({ name: '', text, types: [] }, true);
        connection.bind({ values }, true);
        connection.execute({}, true);
      }
      super.prepare(connection);
      return;
    }
    for (const { name, values } of this.#preceding) {
      connection.bind({ statement: name, values }, true);
      connection.execute({}, true);
    }
    this.#known = KnownColumns.on(connection);
    for (const name of ComposedStatements.on(connection).use(this.name)) {
      connection.close({ type: 'S', name }, true);
      this.#known.of.delete(name);
    }
    const columns = this.name === undefined ? undefined : this.#known.of.get(this.name);
    if (columns === undefined) {
      super.prepare(connection);
    } else {
      Object.assign(this._result, columns);
      this._accumulateRows = true;
      super.prepare(this.#known.undescribing);
    }
  }

  override handleRowDescription(message: unknown): void {
    super.handleRowDescription(message);
    if (this.name !== undefined) {
      const { fields, _parsers, _prebuiltEmptyResultObject } = this._result;
      this.#known?.of.set(this.name, { fields, _parsers, _prebuiltEmptyResultObject });
    }
  }

  /** The first completions belong to the preceding statements. */
  override handleCommandComplete(message: unknown, connection: pg.Connection): void {
    if (this.#completed === (this.#unprepared ?? this.#preceding).length) {
      super.handleCommandComplete(message, connection);
    }
    this.#completed += 1;
  }
}

/**
 * Caches the column descriptions of prepared statements, which cannot change: PostgreSQL refuses a statement whose
 * columns would. Requesting them takes a tenth of a look-up.
 */
class KnownColumns {
  static readonly #known = new WeakMap<pg.Connection, KnownColumns>();

  readonly of = new Map<string, Columns>();
  readonly undescribing: pg.Connection;

  private constructor(connection: pg.Connection) {
    this.undescribing = Object.create(connection, { describe: { value: () => {} } });
  }

  static on(connection: pg.Connection): KnownColumns {
    const known = KnownColumns.#known.get(connection) ?? new KnownColumns(connection);
    KnownColumns.#known.set(connection, known);
    return known;
  }
}
