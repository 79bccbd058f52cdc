import type { IncomingMessage } from 'node:http';
import { setImmediate as nextRound, setTimeout as pause } from 'node:timers/promises';

/**
 * Bytes a second of unwanted bodies in total. Unlimited, four connections with refused bodies of 1 MiB kept the main
 * thread busy all the time; this takes a twentieth of it.
 */
export const READ_PAST = 33_554_432;

/** Milliseconds not worth a timer. */
const SHORT = 2;

/** `performance.now()` at which the bytes read so far are paid for. */
let paidAt = 0;

/**
 * Reads and discards the rest of a request's body, so that a client that sends without reading sees the answer and can
 * reuse the connection. All bodies share one rate; each connection waits its turn, 64 KiB at a time.
 */
export async function readPast(request: IncomingMessage): Promise<void> {
  // At once: Node.js would read everything available of a body that was never begun.
  pay(request.read());
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      const wait = pay(chunk);
      // What comes in one round of the event loop is one chunk then, even if it was sent in thousands.
      await (wait > SHORT ? pause(wait, undefined, { ref: false }) : nextRound());
    }
  } catch {
    // The sender has disconnected.
  }
}

function pay(chunk: Buffer | null): number {
  const now = performance.now();
  paidAt = Math.max(paidAt, now) + ((chunk?.length ?? 0) * 1_000) / READ_PAST;
  return paidAt - now;
}
