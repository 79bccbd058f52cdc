/** The broker is there, and lets this login in, but does not give it the queue. */
export class QueueRefused extends Error {
  constructor(queue: string, { message }: Error) {
    super(`queue ${queue}: ${message}`);
  }
}

export function isAccessRefused(error: unknown): error is Error {
  return error instanceof Error && (error as { code?: unknown }).code === ACCESS_REFUSED;
}

/** AMQP 0.9.1 section 1.2. */
const ACCESS_REFUSED = 403;
