import pg from 'pg';
import { BinaryValues } from './array-parameters.ts';

/** COPY target. Names come from the code only: they become part of the statement. */
export interface CopyTarget {
  table: string;
  columns: readonly string[];
}

/**
 * Writes rows by binary COPY, the cheapest way into a table.
 *
 * The rows follow the statement without waiting for the server to ask for them, so it costs one round trip
 * and can be pipelined. If the statement fails, the server skips the rows (PostgreSQL documentation, "COPY
 * Operations"; `CopyData` outside of a COPY is ignored).
 *
 * @param write encodes the columns of a row in order, each with the type of the table.
 * @returns the number of rows written.
 */
export function copyRows<Row>(
  client: pg.ClientBase,
  { table, columns }: CopyTarget,
  rows: readonly Row[],
  write: (into: BinaryValues, row: Row) => void,
): Promise<number> {
  const into = new BinaryValues();
  into.raw(SIGNATURE);
  into.raw32(0);
  into.raw32(0);
  for (const row of rows) {
    into.raw16(columns.length);
    write(into, row);
  }
  into.raw16(-1);
  return new Promise((resolve, reject) => {
    const copy = new CopyQuery(
      `copy ${table} (${columns.join(', ')}) from stdin (format binary)`,
      into.bytes(),
    );
    copy.callback = (error, result) => (error === null ? resolve(result.rowCount ?? 0) : reject(error));
    client.query(copy);
  });
}

const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1');

/** Undocumented parts of `pg`'s query; the version is pinned and tests hold the behaviour. */
interface InnerQuery {
  callback: (error: Error | null, result: pg.QueryResult) => void;
  submit(connection: pg.Connection): void;
  handleCopyInResponse(connection: pg.Connection): void;
}

type CopyConnection = pg.Connection & {
  sendCopyFromChunk(bytes: Buffer): void;
  endCopyFrom(): void;
};

const InnerQuery = pg.Query as unknown as new (text: string) => InnerQuery;

class CopyQuery extends InnerQuery {
  readonly #text: string;
  readonly #bytes: Buffer;

  constructor(text: string, bytes: Buffer) {
    super(text);
    this.#text = text;
    this.#bytes = bytes;
  }

  override submit(connection: pg.Connection): void {
    const server = connection as CopyConnection;
    server.query(this.#text);
    server.sendCopyFromChunk(this.#bytes);
    server.endCopyFrom();
  }

  /** The rows are on their way already. */
  override handleCopyInResponse(): void {}
}
