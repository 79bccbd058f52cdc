import type { Socket } from 'node:net';

/**
 * Bytes read ahead per connection and taken at once: during an outage each reader with more to send holds
 * twice that. With 64 KiB twenty readers caught up after an outage at 1.8 times the load, with this at 2.5
 * times: one chunk must last until all of it is committed (`test/bench/INGEST.md`).
 */
export const READ_AHEAD = 128 * 1024;

/** As small as possible: a paused socket then holds at most its last chunk of 64 KiB. */
export const UNAUTHENTICATED_READ_AHEAD = 1;

/** Sockets are opened with little read-ahead, TLS sockets with more; Node.js has no public way to change it. */
export function setReadAhead(socket: Socket, bytes: number): void {
  const { _readableState: state } = socket as unknown as { _readableState: { highWaterMark: number } };
  state.highWaterMark = bytes;
}
