import pg from 'pg';

/** Whether a sequence has come to its end (`sequence_generator_limit_exceeded`); the message says which. */
export function isUsedUp(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '2200H';
}
