import pg from 'pg';

/** Raised by `add_live_rows`, with a message for people. */
export function isTooManyRows(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError && error.code === 'TT001';
}
