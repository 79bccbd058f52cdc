import pg from 'pg';

/** `sequence_generator_limit_exceeded`: a sequence is exhausted; the message says which. */
export function isUsedUp(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '2200H';
}
