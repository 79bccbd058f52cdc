import type { IncomingMessage } from 'node:http';
import { ulid } from 'ulid';

export const REQUEST_ID_HEADER = 'X-Request-ID';

/** The caller's own request id, unchanged and unchecked, or a new ULID (interface section 7.1). */
export function requestIdOf(request: IncomingMessage): string {
  const inbound = request.headers['x-request-id'];
  return typeof inbound === 'string' && inbound !== '' ? inbound : ulid();
}
