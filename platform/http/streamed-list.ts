import { writeJson } from '../../base/json/json-text.ts';

/** The body of a list answer whose rows are read and sent a few at a time. */
export class StreamedList {
  readonly #first: readonly unknown[];
  readonly #later: AsyncIterable<Uint8Array>;
  readonly #rest: object;

  /**
   * @param later the JSON of rows, with commas between them.
   * @param rest what stands beside `data`.
   */
  constructor(first: readonly unknown[], later: AsyncIterable<Uint8Array>, rest: object) {
    this.#first = first;
    this.#later = later;
    this.#rest = rest;
  }

  /** The JSON, piece by piece; the next rows are read when it is asked for the next piece. */
  async *pieces(): AsyncGenerator<Uint8Array, void> {
    yield Buffer.from(`{"data":[${this.#first.map(writeJson).join(',')}`);
    let isFirst = this.#first.length === 0;
    for await (const rows of this.#later) {
      if (rows.length > 0) {
        if (!isFirst) {
          yield COMMA;
        }
        yield rows;
        isFirst = false;
      }
    }
    yield Buffer.from(`],${JSON.stringify(this.#rest).slice(1)}`);
  }
}

const COMMA = Buffer.from(',');
