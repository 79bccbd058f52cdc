import type { FieldIssue } from '../../../base/checks/issues.ts';
import { AppError } from '../../../base/errors.ts';

/**
 * What is wrong with what a file holds. The command was used rightly, so that it fails with 1, while an option that
 * names no file which can be read is wrong usage (2).
 */
export class FileFault extends AppError {
  /** Each thing that is wrong, where there are many, with its place; how many more there are. */
  readonly issues: readonly FieldIssue[];
  readonly leftOut: number;

  constructor(message: string, issues: readonly FieldIssue[] = [], leftOut = 0) {
    super('invalid_input', message);
    this.issues = issues;
    this.leftOut = leftOut;
  }
}

/** Where what cannot be used came out of a file. @throws FileFault instead of AppError `invalid_input`. */
export function blameFile(error: unknown): never {
  throw error instanceof AppError && error.code === 'invalid_input' ? new FileFault(error.message) : error;
}
