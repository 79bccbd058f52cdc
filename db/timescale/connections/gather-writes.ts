import type pg from 'pg';

/**
 * Corks a connection's socket until this turn of the event loop has read what callers sent, then writes everything at
 * once: every write is a system call. With `sendPreceded` it takes a look-up over HTTP from 270 us of Node.js's time to
 * 156 (`test/bench/README.md`). It delays nobody: a turn with nothing to read ends at once.
 */
export function gatherWrites(client: pg.Client): void {
  if (!isGathering(client)) {
    const { stream } = client.connection;
    stream.cork();
    setImmediate(() => stream.uncork());
  }
}

/** True if a write now joins others of this turn. */
export function isGathering({ connection }: pg.Client): boolean {
  return connection.stream.writableCorked > 0;
}
