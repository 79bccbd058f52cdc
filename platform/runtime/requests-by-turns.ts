import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { groupOfAddress } from './bounded-sockets.ts';

/**
 * Begins one request in each round of the event loop, by turns of the addresses that they come from. In a round one connection is
 * accepted at each port, however many wait (libuv 1.52): while 500 connections of a stranger had a request in every round, two
 * thirds of all others found none within eight seconds.
 */
export function beginByTurns(listener: RequestListener): RequestListener {
  const waiting = new Map<string, [request: IncomingMessage, response: ServerResponse][]>();

  function beginNext(): void {
    const [first] = waiting;
    if (first === undefined) {
      return;
    }
    const [address, requests] = first;
    const next = requests.shift();
    waiting.delete(address);
    if (requests.length > 0) {
      waiting.set(address, requests);
    }
    if (waiting.size > 0) {
      setImmediate(beginNext);
    }
    // Whoever has hung up gets no answer.
    if (next !== undefined && !next[0].socket.destroyed) {
      listener(...next);
    }
  }

  return (request, response) => {
    if (waiting.size === 0) {
      setImmediate(beginNext);
    }
    const address = groupOfAddress(request.socket.remoteAddress);
    const requests = waiting.get(address) ?? [];
    requests.push([request, response]);
    waiting.set(address, requests);
  };
}
