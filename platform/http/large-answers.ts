import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { Logger } from 'pino';
import { type Caller, Problem } from './problem.ts';

/** Streamed answers at a time, per caller and per organization. One piece of each is in memory. */
const MOST_AT_ONCE = 8;
const MOST_OF_ORGANIZATION = 16;

/** Milliseconds a caller may take to read a piece; slower readers are cut off. */
const PATIENCE_MS = 60_000;

/** A list, or a file. */
interface Streamed {
  pieces(): AsyncIterable<Uint8Array>;
}

/**
 * Streams answers too large to hold, with backpressure: no faster than they are read, and a few per caller at a time.
 */
export class LargeAnswers {
  readonly #log: Logger;
  readonly #underWay = new Map<string, number>();

  constructor(log: Logger) {
    this.#log = log;
  }

  /**
   * A stream to pipe into `response`.
   *
   * @throws Problem `unavailable` if the caller already reads as many as allowed.
   */
  open(list: Streamed, response: ServerResponse, caller: Caller): Readable {
    const [who, organization] = [JSON.stringify(caller), String(caller['orgId'])];
    if (this.#of(who) >= MOST_AT_ONCE || this.#of(organization) >= MOST_OF_ORGANIZATION) {
      throw new Problem('unavailable', TOO_MANY, { headers: { 'Retry-After': '5' } });
    }
    this.#add(who, 1);
    this.#add(organization, 1);
    const timer = setTimeout(() => response.destroy(), PATIENCE_MS);
    response.once('close', () => {
      clearTimeout(timer);
      this.#add(who, -1);
      this.#add(organization, -1);
    });
    // No read-ahead: a slow reader holds one piece, and others get their turn.
    return Readable.from(this.#pieces(list, response, timer), { objectMode: true, highWaterMark: 0 });
  }

  async *#pieces(
    list: Streamed,
    response: ServerResponse,
    timer: NodeJS.Timeout,
  ): AsyncGenerator<Uint8Array, void> {
    try {
      for await (const piece of list.pieces()) {
        timer.refresh();
        yield piece;
      }
      timer.refresh();
    } catch (error) {
      // The status is sent already, so the response is cut off, which callers notice. Reading also
      // ends when a caller hangs up, which is not a fault.
      if (!response.destroyed) {
        this.#log.error({ err: error }, 'Large response cut short: its rows could not be read');
      }
      throw error;
    }
  }

  #of(who: string): number {
    return this.#underWay.get(who) ?? 0;
  }

  #add(who: string, more: number): void {
    const count = this.#of(who) + more;
    if (count === 0) {
      this.#underWay.delete(who);
    } else {
      this.#underWay.set(who, count);
    }
  }
}

const TOO_MANY =
  'Too many large pages are being read with this credential, or by its organization; read them to their end, or ask for fewer rows with limit';

export const TOO_MANY_LARGE = 'Too many large pages are being read at once';
