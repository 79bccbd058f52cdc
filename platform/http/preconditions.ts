import type { IncomingHttpHeaders } from 'node:http';
import { badRequest } from './problem.ts';

/**
 * Refuses a write on a condition that is not looked at: whoever sends one counts on it. The way to write only what has
 * not changed since is to send the `updated_at` that was read along with a PATCH.
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
