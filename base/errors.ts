/**
 * An error that a person or a client is meant to read. `code` is stable and says what kind it is; what a kind means
 * on the outside (an HTTP status, an exit status) is decided there, not here.
 */
export class AppError extends Error {
  readonly code: AppErrorCode;

  constructor(code: AppErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'AppError';
    this.code = code;
  }
}

/** Rows of a kind cannot be added any more: the sequence that numbers them has come to its end. */
export class IdsUsedUp extends AppError {
  constructor(cause: unknown) {
    super('unavailable', 'No ids are left for new rows of this kind; nothing was changed', {
      cause,
    });
  }
}

/** The database cannot be reached, or does not write, right now. The message is for callers and names no server. */
export class DatabaseUnavailable extends AppError {
  constructor(message: string, cause: unknown) {
    super('unavailable', message, { cause });
  }
}

export type AppErrorCode =
  /** An argument or a definition that cannot be used. */
  | 'invalid_input'
  /** A setting of the process that cannot be used. */
  | 'misconfigured'
  /** What was named does not exist. */
  | 'not_found'
  /** What was asked for collides with what exists. */
  | 'conflict'
  /** It took, or would have had to wait, longer than it may; nothing was changed. */
  | 'timed_out'
  /** Something this process depends on is not there: a database, a broker, a port. */
  | 'unavailable'
  /** What was asked for was under way when the database was lost; it may have been carried out, or not. */
  | 'outcome_unknown';

export function notFound(message: string): AppError {
  return new AppError('not_found', message);
}

export function conflict(message: string): AppError {
  return new AppError('conflict', message);
}

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') {
    return error.errors.map(messageOf).join('; ');
  }
  return error instanceof Error ? error.message : String(error);
}
