import { writeJson } from './json-text.ts';

/** The body of a list answer whose rows are read, written and sent a few at a time. */
export class StreamedList {
  readonly #first: readonly unknown[];
  readonly #later: AsyncIterable<readonly unknown[]>;
  readonly #rest: object;

  /** @param rest what stands beside `data`. */
  constructor(first: readonly unknown[], later: AsyncIterable<readonly unknown[]>, rest: object) {
    this.#first = first;
    this.#later = later;
    this.#rest = rest;
  }

  /** The JSON, piece by piece; the next rows are read when it is asked for the next piece. */
  async *pieces(): AsyncGenerator<Buffer, void> {
    yield Buffer.from(`{"data":[${rowsOf(this.#first)}`);
    let isFirst = this.#first.length === 0;
    for await (const rows of this.#later) {
      if (rows.length > 0) {
        yield Buffer.from(`${isFirst ? '' : ','}${rowsOf(rows)}`);
        isFirst = false;
      }
    }
    yield Buffer.from(`],${JSON.stringify(this.#rest).slice(1)}`);
  }
}

function rowsOf(views: readonly unknown[]): string {
  return views.map(writeJson).join(',');
}
