import pg from 'pg';

/** SQLSTATE of an error reported by the database; null for any other error. */
export function sqlStateOf(error: unknown): string | null {
  return error instanceof pg.DatabaseError ? (error.code ?? '') : null;
}

/**
 * SQLSTATE classes: 21 cardinality, 22 data exception, 23 integrity constraint, 44 check option, 54 program
 * limit, P0 raised by a trigger, XX internal error, which a single row can cause.
 */
const CLASSES_OF_DATA = new Set(['21', '22', '23', '44', '54', 'P0', 'XX']);

/** True if a row that the statement handles is at fault, rather than the database, the connection or another transaction. */
export function isFaultOfData(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state !== null && CLASSES_OF_DATA.has(state.slice(0, 2));
}

/** Name of the violated constraint; null for any other error. */
export function brokenConstraintOf(error: unknown): string | null {
  return error instanceof pg.DatabaseError ? (error.constraint ?? null) : null;
}

/** `query_canceled`: by its time limit, or by another session. */
export function isCancelled(error: unknown): boolean {
  return sqlStateOf(error) === '57014';
}

/** `lock_not_available`: another session held it for longer than `lock_timeout`. */
export function isLockTimeout(error: unknown): boolean {
  return sqlStateOf(error) === '55P03';
}

/** `sequence_generator_limit_exceeded`: a sequence is exhausted; the message says which. */
export function isUsedUp(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '2200H';
}
