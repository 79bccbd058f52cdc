import type { FieldIssue } from '../../../base/checks/issues.ts';
import { AppError } from '../../../base/errors.ts';

/**
 * A fault in a file's contents. The command was used correctly, so it exits with 1; an option that names no readable
 * file is wrong usage (2).
 */
export class FileFault extends AppError {
  readonly issues: readonly FieldIssue[];
  readonly leftOut: number;

  constructor(message: string, issues: readonly FieldIssue[] = [], leftOut = 0) {
    super('invalid_input', message);
    this.issues = issues;
    this.leftOut = leftOut;
  }
}

/** Turns AppError `invalid_input` into FileFault if the input came from a file. */
export function rethrowAsFileFault(error: unknown): never {
  throw error instanceof AppError && error.code === 'invalid_input' ? new FileFault(error.message) : error;
}
