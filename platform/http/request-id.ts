import { randomFillSync } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { ulid } from 'ulid';

export const REQUEST_ID_HEADER = 'X-Request-ID';

/**
 * The caller's own request id, unchanged and unchecked, or a new ULID (contract 7.1). Blanks around a value
 * are not part of it; Node.js puts some where the header is repeated and one is empty.
 */
export function requestIdOf(request: IncomingMessage): string {
  const inbound = request.headers['x-request-id']?.toString().trim() ?? '';
  return inbound === '' ? ulid(undefined, randomFraction) : inbound;
}

/**
 * Random bytes for many ids at once. On its own the library asks the system for each of an id's sixteen: 7 % of the
 * time that a look-up takes.
 */
const POOL = new Uint8Array(4096);
let used = POOL.length;

function randomFraction(): number {
  if (used === POOL.length) {
    randomFillSync(POOL);
    used = 0;
  }
  return (POOL[used++] ?? 0) / 256;
}
