import pg from 'pg';

const FOREIGN_KEY_VIOLATION = '23503';

/** The table with a row that refers to one that was to be deleted; null for any other error. */
export function stillReferring(error: unknown): string | null {
  return error instanceof pg.DatabaseError && error.code === FOREIGN_KEY_VIOLATION
    ? (error.table ?? 'a table')
    : null;
}
