import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { groupOfAddress } from './bounded-sockets.ts';

/**
 * Requests begun in a round of the event loop. With one a round, look-ups on 32 connections took 1.4 times as long, since writes
 * to the database are gathered within a round (`gather-writes.ts`).
 */
const EACH_ROUND = 8;

/**
 * Begins requests by turns of the addresses that they come from, a few in each round of the event loop. In a round one
 * connection is accepted at each port, however many wait (libuv 1.52): while 500 connections of a stranger had a request in
 * every round, two thirds of all others found none within eight seconds.
 */
export function beginByTurns(listener: RequestListener): RequestListener {
  const waiting = new Map<string, [request: IncomingMessage, response: ServerResponse][]>();

  function beginSome(): void {
    for (let begun = 0; begun < EACH_ROUND && waiting.size > 0; begun++) {
      beginNext();
    }
    if (waiting.size > 0) {
      setImmediate(beginSome);
    }
  }

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
    // The caller may have hung up.
    if (next !== undefined && !next[0].socket.destroyed) {
      listener(...next);
    }
  }

  return (request, response) => {
    if (waiting.size === 0) {
      setImmediate(beginSome);
    }
    const address = groupOfAddress(request.socket.remoteAddress);
    const requests = waiting.get(address) ?? [];
    requests.push([request, response]);
    waiting.set(address, requests);
  };
}
