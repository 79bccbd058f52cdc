/**
 * An error to be read by a person or a client. `code` is stable; callers map it to an HTTP or exit status.
 */
export class AppError extends Error {
  readonly code: AppErrorCode;

  constructor(code: AppErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'AppError';
    this.code = code;
  }
}

export class IdsUsedUp extends AppError {
  constructor(cause: unknown) {
    super('unavailable', 'No ids are left for new rows of this kind; nothing was changed', {
      cause,
    });
  }
}

/** A statement ran into its time limit, rather than waiting for others: asking for less helps. */
export class StatementTimedOut extends AppError {
  constructor(message: string, cause: unknown) {
    super('timed_out', message, { cause });
  }
}

/** An answer would need more rows or steps than are allowed; asking for less helps. */
export class TooMuchWork extends Error {}

/** {@link TooMuchWork} of several things together, where it is known how many can be done. */
export class TooMuchTogether extends TooMuchWork {
  readonly fits: number;

  constructor(message: string, fits: number) {
    super(message);
    this.fits = fits;
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
  /** The caller may not change it. */
  | 'forbidden'
  | 'conflict'
  /** Took, or would have had to wait, too long; nothing was changed. */
  | 'timed_out'
  | 'unavailable'
  /** The database was lost during the commit, which may have succeeded. */
  | 'outcome_unknown';

export function notFound(message: string): AppError {
  return new AppError('not_found', message);
}

/** @throws AppError `not_found` if there is nothing, or nothing any more. */
export async function orNotFound<Found>(message: string, looked: Promise<Found | null>): Promise<Found> {
  const found = await looked;
  if (found === null) {
    throw notFound(message);
  }
  return found;
}

export function forbidden(message: string): AppError {
  return new AppError('forbidden', message);
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
