import { writeJson } from '../../base/json/json-text.ts';

export class StreamedList {
  readonly #first: readonly unknown[];
  readonly #later: AsyncIterable<Uint8Array>;
  readonly #rest: object;

  /**
   * @param later JSON of rows, comma-separated.
   * @param rest members beside `data`.
   */
  constructor(first: readonly unknown[], later: AsyncIterable<Uint8Array>, rest: object) {
    this.#first = first;
    this.#later = later;
    this.#rest = rest;
  }

  /** Serialized JSON; the next rows are read when the next piece is asked for. */
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
