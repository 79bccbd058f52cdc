/**
 * An error for a person or a client to read. `code` is stable; what it means outside (an HTTP status, an exit status)
 * is decided there.
 */
export class AppError extends Error {
  readonly code: AppErrorCode;

  constructor(code: AppErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'AppError';
    this.code = code;
  }
}

/** The sequence that numbers these rows is exhausted. */
export class IdsUsedUp extends AppError {
  constructor(cause: unknown) {
    super('unavailable', 'No ids are left for new rows of this kind; nothing was changed', {
      cause,
    });
  }
}

/** The database is unreachable or read-only right now. The message is for callers and names no server. */
export class DatabaseUnavailable extends AppError {
  constructor(message: string, cause: unknown) {
    super('unavailable', message, { cause });
  }
}

export type AppErrorCode =
  | 'invalid_input'
  | 'misconfigured'
  | 'not_found'
  /** A conflict with what exists. */
  | 'conflict'
  /** It took, or would have had to wait, too long; nothing was changed. */
  | 'timed_out'
  /** A dependency is missing: a database, a broker, a port. */
  | 'unavailable'
  /** The database was lost during the commit, which may have succeeded. */
  | 'outcome_unknown';

export function notFound(message: string): AppError {
  return new AppError('not_found', message);
}

export function conflict(message: string): AppError {
  return new AppError('conflict', message);
}

export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') {
    return error.errors.map(messageOf).join('; ');
  }
  return error instanceof Error ? error.message : String(error);
}
