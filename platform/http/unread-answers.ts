import type { ServerResponse } from 'node:http';
import type { Middleware } from 'koa';
import type { Logger } from 'pino';
import { LogBudget } from '../runtime/log-budget.ts';
import { whenClosed } from './hanging-up.ts';
import type { Caller } from './problem.ts';

/** Bytes of all unread answers at a port. */
const MOST = 128 * 1_048_576;

/** Bytes from which an answer counts: shorter ones fit into the socket's buffer. */
const LARGE = 16_384;

/**
 * Bounds the memory of unread answers: a console that asked for the tree of 48,000 locations once a second and read
 * nothing took 6 MB a second. Beyond the bound the oldest answer of the largest holder is cut off, never the newest, so
 * everyone who reads gets an answer. Streams hold one piece each.
 *
 * @param most bytes.
 */
export function boundUnreadAnswers(log: Logger, most = MOST): Middleware {
  const unread = new UnreadAnswers();
  const budget = new LogBudget(1);
  return async ({ state, method, req, res, response }, next) => {
    await next();
    const { body } = response;
    if (method === 'HEAD' || !Buffer.isBuffer(body) || body.length < LARGE) {
      return;
    }
    const caller: Caller | undefined = state['caller'];
    const holder =
      caller?.['orgId'] === undefined ? `at ${req.socket.remoteAddress}` : `of ${caller['orgId']}`;
    unread.add(holder, body, res);
    while (unread.bytes > most && unread.cutOldest(body)) {
      if (budget.take('') !== null) {
        log.warn(`Unread answers exceeded ${most} bytes; the oldest are cut off`);
      }
    }
  };
}

/** Stores each body once, however many answers share it. */
class UnreadAnswers {
  /** By holder, oldest first. */
  readonly #held = new Map<string, Map<Buffer, Set<ServerResponse>>>();
  readonly #bytesOf = new Map<string, number>();
  bytes = 0;

  add(holder: string, body: Buffer, response: ServerResponse): void {
    const bodies = this.#held.get(holder) ?? new Map<Buffer, Set<ServerResponse>>();
    this.#held.set(holder, bodies);
    const responses = bodies.get(body);
    if (responses === undefined) {
      bodies.set(body, new Set([response]));
      this.#count(holder, body.length);
    } else {
      responses.add(response);
    }
    whenClosed(response, () => this.#remove(holder, body, response));
  }

  /** @param newest is never cut off. @returns false if it is all there is. */
  cutOldest(newest: Buffer): boolean {
    let largest = '';
    for (const [holder, bytes] of this.#bytesOf) {
      if (bytes > (this.#bytesOf.get(largest) ?? 0)) {
        largest = holder;
      }
    }
    for (const [body, responses] of this.#held.get(largest) ?? []) {
      if (body !== newest) {
        for (const response of responses) {
          this.#remove(largest, body, response);
          response.destroy();
        }
        return true;
      }
    }
    return false;
  }

  #remove(holder: string, body: Buffer, response: ServerResponse): void {
    const bodies = this.#held.get(holder);
    const responses = bodies?.get(body);
    if (responses?.delete(response) && responses.size === 0) {
      bodies?.delete(body);
      this.#count(holder, -body.length);
    }
  }

  #count(holder: string, more: number): void {
    this.bytes += more;
    const bytes = (this.#bytesOf.get(holder) ?? 0) + more;
    if (bytes === 0) {
      this.#bytesOf.delete(holder);
      this.#held.delete(holder);
    } else {
      this.#bytesOf.set(holder, bytes);
    }
  }
}
