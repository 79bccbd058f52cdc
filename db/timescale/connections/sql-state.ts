import pg from 'pg';

/** The SQLSTATE of an error that the database has answered with; null for any other error. */
export function sqlStateOf(error: unknown): string | null {
  return error instanceof pg.DatabaseError ? (error.code ?? '') : null;
}

/** The name of the constraint that a statement broke; null for any other error. */
export function brokenConstraintOf(error: unknown): string | null {
  return error instanceof pg.DatabaseError ? (error.constraint ?? null) : null;
}
