import type { IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * Bytes a second of all bodies that nobody wants. As fast as they came, four connections with bodies of a mebibyte that
 * were refused kept the thread that answers busy for all of its time; this takes a twentieth of it.
 */
export const READ_PAST = 33_554_432;

/** Milliseconds that are not worth a timer. */
const SHORT = 2;

/** When what was read so far will have had its time. */
let paidAt = 0;

/**
 * Reads what is left of a request's body and throws it away, so that a sender who does not listen gets to see the answer
 * and can use the connection again. All bodies have one rate in common; a connection waits for as many pieces of 64 KiB as
 * there are others.
 */
export async function readPast(request: IncomingMessage): Promise<void> {
  // At once: of a body that nobody has begun to read when the answer is sent, Node.js reads all there is as it comes.
  pay(request.read());
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      const wait = pay(chunk);
      if (wait > SHORT) {
        await pause(wait, undefined, { ref: false });
      }
    }
  } catch {
    // The sender is gone.
  }
}

/** @returns milliseconds until it has had its time. */
function pay(chunk: Buffer | null): number {
  const now = performance.now();
  paidAt = Math.max(paidAt, now) + ((chunk?.length ?? 0) * 1_000) / READ_PAST;
  return paidAt - now;
}
