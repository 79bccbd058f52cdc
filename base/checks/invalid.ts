import { AppError } from '../errors.ts';
import type { FieldIssue } from './issues.ts';

/** Refused input, field by field. The message is that of the first issue, with the number of the others. */
export class Invalid extends AppError {
  readonly issues: readonly FieldIssue[];

  /** @param leftOut issues beyond those listed. */
  constructor(issues: readonly FieldIssue[], leftOut = 0) {
    const more = issues.length - 1 + leftOut;
    const suffix = more === 0 ? '' : ` (and ${more} more validation error(s))`;
    super('invalid_input', (issues[0]?.message ?? '') + suffix);
    this.name = 'Invalid';
    this.issues = issues;
  }
}

export function invalid(issues: readonly FieldIssue[], leftOut = 0): Invalid {
  return new Invalid(issues, leftOut);
}

export function refuseIssues(issues: readonly FieldIssue[]): void {
  if (issues.length > 0) {
    throw invalid(issues);
  }
}
