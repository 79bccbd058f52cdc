import type { IncomingHttpHeaders } from 'node:http';
import { badRequest } from './problem.ts';

/**
 * Refuses unsupported preconditions on writes, since their senders rely on them. The supported way is a PATCH
 * with the `updated_at` that was read (contract 4.7).
 *
 * @throws Problem `bad_request`.
 */
export function refusePreconditions(headers: IncomingHttpHeaders): void {
  const given = CONDITIONS.find((name) => headers[name.toLowerCase()] !== undefined);
  if (given !== undefined) {
    throw badRequest(
      `${given} is not supported; to change only what has not changed since, send the updated_at you read in a PATCH`,
    );
  }
}

const CONDITIONS = ['If-Match', 'If-Unmodified-Since'];
