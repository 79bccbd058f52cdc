import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { Logger } from 'pino';
import { type Caller, Problem } from './problem.ts';
import type { StreamedList } from './streamed-list.ts';

/** Answers of one caller that are sent in pieces at a time. Of each, two pieces are held at most. */
const MOST_AT_ONCE = 8;

/** How long a caller may take over a piece, in milliseconds; whoever reads more slowly is cut off. */
const PATIENCE_MS = 60_000;

/** Sends answers too large to be held: no faster than they are read, and a few of a caller at a time. */
export class LargeAnswers {
  readonly #log: Logger;
  readonly #underWay = new Map<string, number>();

  constructor(log: Logger) {
    this.#log = log;
  }

  /**
   * The answer as a stream to be piped into `response`.
   *
   * @throws Problem `unavailable` if the caller reads as many as it may.
   */
  open(list: StreamedList, response: ServerResponse, caller: Caller): Readable {
    const who = JSON.stringify(caller);
    const underWay = this.#underWay.get(who) ?? 0;
    if (underWay >= MOST_AT_ONCE) {
      throw new Problem('unavailable', TOO_MANY, { headers: { 'Retry-After': '5' } });
    }
    this.#underWay.set(who, underWay + 1);
    const timer = setTimeout(() => response.destroy(), PATIENCE_MS);
    response.once('close', () => {
      clearTimeout(timer);
      this.#close(who);
    });
    return Readable.from(this.#pieces(list, response, timer), { objectMode: true, highWaterMark: 1 });
  }

  async *#pieces(
    list: StreamedList,
    response: ServerResponse,
    timer: NodeJS.Timeout,
  ): AsyncGenerator<Buffer, void> {
    try {
      for await (const piece of list.pieces()) {
        timer.refresh();
        yield piece;
      }
      timer.refresh();
    } catch (error) {
      // The status is sent already: all that can be done is to end without an end, which callers notice. Reading also
      // ends because a caller hung up, which is nobody's fault.
      if (!response.destroyed) {
        this.#log.error({ err: error }, 'A large answer was broken off, because its rows could not be read');
      }
      throw error;
    }
  }

  #close(who: string): void {
    const left = (this.#underWay.get(who) ?? 1) - 1;
    if (left === 0) {
      this.#underWay.delete(who);
    } else {
      this.#underWay.set(who, left);
    }
  }
}

const TOO_MANY =
  'Too many large pages are being read with this credential; read them to their end, or ask for fewer rows with limit';

/** Why a list that can be large answers 503, for its declaration. */
export const TOO_MANY_LARGE = 'Too many large pages are being read at once';
