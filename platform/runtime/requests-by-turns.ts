import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { groupOfAddress } from './bounded-sockets.ts';

/** Milliseconds that a round of the event loop took, for each request that is begun in the next, and how many are at most. */
const FOR_EACH = 2;
const MOST = 16;

/**
 * Begins requests by turns of the addresses that they come from: commonly one in each round of the event loop, and more where
 * something else makes rounds long. In a round one connection is accepted at each port, however many wait (libuv 1.52): while 500
 * connections of a stranger had a request in every round, two thirds of all others found none within eight seconds.
 */
export function beginByTurns(listener: RequestListener): RequestListener {
  const waiting = new Map<string, [request: IncomingMessage, response: ServerResponse][]>();
  let roundBegan = 0;

  function beginSome(): void {
    const now = performance.now();
    const most = Math.min(MOST, Math.max(1, Math.ceil((now - roundBegan) / FOR_EACH)));
    roundBegan = now;
    for (let begun = 0; begun < most && waiting.size > 0; begun++) {
      beginNext();
    }
    if (waiting.size > 0) {
      setImmediate(beginSome);
    }
  }

  function beginNext(): void {
    for (const [address, requests] of waiting) {
      const next = requests.shift();
      waiting.delete(address);
      if (requests.length > 0) {
        waiting.set(address, requests);
      }
      // Whoever has hung up gets no answer.
      if (next !== undefined && !next[0].socket.destroyed) {
        listener(...next);
      }
      return;
    }
  }

  return (request, response) => {
    if (waiting.size === 0) {
      roundBegan = performance.now();
      setImmediate(beginSome);
    }
    const address = groupOfAddress(request.socket.remoteAddress);
    const requests = waiting.get(address) ?? [];
    requests.push([request, response]);
    waiting.set(address, requests);
  };
}
