import type { IncomingMessage } from 'node:http';
import { badRequest, Problem } from './problem.ts';

/** The largest request body, in bytes: 1 MiB. */
export const BODY_LIMIT = 1_048_576;

/**
 * The bytes of a request's body. What lies beyond the limit is not kept; Node.js reads past it when the answer has
 * been sent, so that the caller gets to see that answer.
 *
 * @throws Problem `payload_too_large` above {@link BODY_LIMIT}, `bad_request` if the caller stops in the middle.
 */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > BODY_LIMIT) {
    throw tooLarge();
  }
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      size += chunk.length;
      if (size > BODY_LIMIT) {
        throw tooLarge();
      }
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof Problem ? error : badRequest('Request body was cut off');
  }
  return Buffer.concat(chunks, size);
}

function tooLarge(): Problem {
  return new Problem('payload_too_large', `Request body must be at most ${BODY_LIMIT} bytes`);
}
