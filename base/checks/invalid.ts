import { AppError } from '../errors.ts';
import type { FieldIssue } from './issues.ts';

/** What was given is wrong, field by field. The message is the first issue's, and how many more there are. */
export class Invalid extends AppError {
  readonly issues: readonly FieldIssue[];

  /** @param leftOut how many issues there are besides those listed. */
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

/** Throws {@link invalid} if there is any issue. */
export function refuseIssues(issues: readonly FieldIssue[]): void {
  if (issues.length > 0) {
    throw invalid(issues);
  }
}
