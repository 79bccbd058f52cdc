import type pg from 'pg';

/**
 * Holds back what is written to a connection until this turn of the event loop has read what callers sent, and then
 * writes it all at once: every write is a system call. Together with `sendPreceded` it takes a look-up over HTTP
 * from 270 us of Node.js's time to 156 (`test/bench/README.md`). Nobody waits: a turn with nothing to read ends at once.
 */
export function gatherWrites(client: pg.Client): void {
  if (!isGathering(client)) {
    const { stream } = client.connection;
    stream.cork();
    setImmediate(() => stream.uncork());
  }
}

/** Whether what is written to the connection now goes together with what was written to it in this turn. */
export function isGathering({ connection }: pg.Client): boolean {
  return connection.stream.writableCorked > 0;
}
