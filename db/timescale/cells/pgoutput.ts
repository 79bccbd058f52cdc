/**
 * Messages of PostgreSQL's output plugin `pgoutput`, protocol version 1, as `pg_logical_slot_peek_binary_changes` returns
 * them ("Logical Replication Message Formats" in its manual).
 */
export type ReplicationMessage =
  | { kind: 'begin'; xid: number }
  | { kind: 'commit'; endLsn: bigint }
  | { kind: 'relation'; id: number; name: string; columns: readonly string[] }
  | { kind: 'insert'; relation: number; row: Tuple }
  /** `before`: the old row, as far as the table's replica identity has it; null if its key stayed the same. */
  | { kind: 'update'; relation: number; before: Tuple | null; row: Tuple }
  | { kind: 'delete'; relation: number; before: Tuple }
  | { kind: 'truncate' }
  | { kind: 'other' };

/** Texts by column: null is SQL's null; undefined for a long unchanged value, which is not sent. */
export type Tuple = readonly (string | null | undefined)[];

export function parseMessage(data: Buffer): ReplicationMessage {
  const reader = new Reader(data);
  switch (reader.character()) {
    case 'B':
      reader.skip(8 + 8);
      return { kind: 'begin', xid: reader.int32() };
    case 'C':
      reader.skip(1 + 8);
      return { kind: 'commit', endLsn: reader.int64() };
    case 'R': {
      const id = reader.int32();
      const schema = reader.string();
      const table = reader.string();
      reader.skip(1);
      const columns = Array.from({ length: reader.int16() }, () => {
        reader.skip(1);
        const column = reader.string();
        reader.skip(8);
        return column;
      });
      return { kind: 'relation', id, name: `${schema}.${table}`, columns };
    }
    case 'I': {
      const relation = reader.int32();
      reader.skip(1);
      return { kind: 'insert', relation, row: reader.tuple() };
    }
    case 'U': {
      const relation = reader.int32();
      const hasBefore = reader.character() !== 'N';
      const before = hasBefore ? reader.tuple() : null;
      reader.skip(hasBefore ? 1 : 0);
      return { kind: 'update', relation, before, row: reader.tuple() };
    }
    case 'D': {
      const relation = reader.int32();
      reader.skip(1);
      return { kind: 'delete', relation, before: reader.tuple() };
    }
    case 'T':
      return { kind: 'truncate' };
    default:
      // Origin, type.
      return { kind: 'other' };
  }
}

class Reader {
  readonly #data: Buffer;
  #at = 0;

  constructor(data: Buffer) {
    this.#data = data;
  }

  skip(bytes: number): void {
    this.#at += bytes;
  }

  character(): string {
    return String.fromCharCode(this.#data.readUInt8(this.#at++));
  }

  int16(): number {
    this.#at += 2;
    return this.#data.readInt16BE(this.#at - 2);
  }

  int32(): number {
    this.#at += 4;
    return this.#data.readUInt32BE(this.#at - 4);
  }

  int64(): bigint {
    this.#at += 8;
    return this.#data.readBigUInt64BE(this.#at - 8);
  }

  string(): string {
    const end = this.#data.indexOf(0, this.#at);
    const text = this.#data.toString('utf8', this.#at, end);
    this.#at = end + 1;
    return text;
  }

  tuple(): Tuple {
    return Array.from({ length: this.int16() }, () => {
      switch (this.character()) {
        case 'n':
          return null;
        case 'u':
          return undefined;
        default: {
          const length = this.int32();
          this.#at += length;
          return this.#data.toString('utf8', this.#at - length, this.#at);
        }
      }
    });
  }
}

/** `16/B374D848` as a number. */
export function lsnOf(text: string): bigint {
  const [high = '0', low = '0'] = text.split('/');
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`);
}

export function textOfLsn(lsn: bigint): string {
  return `${(lsn >> 32n).toString(16)}/${(lsn & 0xffffffffn).toString(16)}`.toUpperCase();
}
