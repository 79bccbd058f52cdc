import type { IncomingMessage } from 'node:http';
import { badRequest, Problem } from './problem.ts';

/** The largest request body that is held in memory, in bytes: 1 MiB. */
export const BODY_LIMIT = 1_048_576;

/** The bytes of a request's body. @throws Problem as {@link streamBody} does. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(streamBody(request, BODY_LIMIT)));
}

/**
 * A request's body as it arrives. What lies beyond the limit, or is not asked for, is read past and not kept, so that
 * a caller who only sends gets to see the answer and can use the connection again. (Of a body that nobody began to
 * read, Node.js takes care itself.)
 *
 * @param limit in bytes.
 * @throws Problem `payload_too_large` above the limit, `bad_request` if the caller stops in the middle.
 */
export async function* streamBody(request: IncomingMessage, limit: number): AsyncGenerator<Buffer, void> {
  if (Number(request.headers['content-length'] ?? 0) > limit) {
    throw tooLarge(limit);
  }
  let size = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      size += chunk.length;
      if (size > limit) {
        throw tooLarge(limit);
      }
      yield chunk;
    }
  } catch (error) {
    throw error instanceof Problem ? error : badRequest('Request body was cut off');
  } finally {
    request.resume();
  }
}

function tooLarge(limit: number): Problem {
  return new Problem('payload_too_large', `Request body must be at most ${limit} bytes`);
}
