import { append } from '../append.ts';
import { AppError } from '../errors.ts';

/** Contract 7.3. */
export const ISSUE_CODES = [
  'required',
  'invalid_value',
  'unknown_field',
  'too_short',
  'too_long',
  'too_small',
  'too_large',
  'fk_not_found',
  'ambiguous_fields',
  'read_only',
] as const;

export type IssueCode = (typeof ISSUE_CODES)[number];

export interface FieldIssue {
  field: string;
  code: IssueCode;
  message: string;
  params?: Record<string, unknown>;
}

export type Checked<T> = { ok: true; value: T } | Refusal;

export interface Refusal {
  ok: false;
  issues: FieldIssue[];
  leftOut?: number;
}

/**
 * Issues listed for a request; the rest are counted. A body of 1 MiB can have 300,000, and its answer was nine times
 * its size.
 */
export const MOST_LISTED = 100;

export function gathered(refusals: readonly Refusal[]): Refusal {
  const issues: FieldIssue[] = [];
  let leftOut = 0;
  for (const refusal of refusals) {
    const listed = refusal.issues.slice(0, MOST_LISTED - issues.length);
    append(issues, listed);
    leftOut += refusal.issues.length - listed.length + (refusal.leftOut ?? 0);
  }
  return { ok: false, issues, leftOut };
}

export function accepted<T>(value: T): Checked<T> {
  return { ok: true, value };
}

export function refused(...issues: FieldIssue[]): Refusal {
  return { ok: false, issues };
}

export function required(field: string): FieldIssue {
  return { field, code: 'required', message: `${field} is required` };
}

/** @param rule follows the field's name: `must be an integer`. */
export function invalidValue(field: string, rule: string, params?: Record<string, unknown>): FieldIssue {
  const issue: FieldIssue = { field, code: 'invalid_value', message: `${field} ${rule}` };
  return params === undefined ? issue : { ...issue, params };
}

export function tooShort(field: string, min: number): FieldIssue {
  const message = `${field} must be at least ${characters(min)}`;
  return { field, code: 'too_short', message, params: { min_length: min } };
}

export function tooLong(field: string, max: number): FieldIssue {
  const message = `${field} must be at most ${characters(max)}`;
  return { field, code: 'too_long', message, params: { max_length: max } };
}

export function tooMany(field: string, max: number): FieldIssue {
  const message = `${field} must have at most ${max} items`;
  return { field, code: 'too_long', message, params: { max_length: max } };
}

export function tooFew(field: string, min: number): FieldIssue {
  const message = `${field} must have at least ${min === 1 ? '1 item' : `${min} items`}`;
  return { field, code: 'too_short', message, params: { min_length: min } };
}

export function tooSmall(field: string, min: number): FieldIssue {
  return { field, code: 'too_small', message: `${field} must be >= ${min}`, params: { min } };
}

export function tooLarge(field: string, max: number): FieldIssue {
  return { field, code: 'too_large', message: `${field} must be <= ${max}`, params: { max } };
}

export function unknownField(field: string, message: string): FieldIssue {
  return { field, code: 'unknown_field', message };
}

export function foreignKeyNotFound(field: string, value: string | number): FieldIssue {
  return { field, code: 'fk_not_found', message: `${field} ${value} not found` };
}

export function readOnly(field: string, message: string): FieldIssue {
  return { field, code: 'read_only', message };
}

export function ambiguous(pair: Pair): FieldIssue[] {
  const message = `${pair[0]} and ${pair[1]} are mutually exclusive; supply exactly one`;
  return pair.map((field) => ({ field, code: 'ambiguous_fields', message }));
}

export type Pair = readonly [string, string];

function characters(count: number): string {
  return count === 1 ? '1 character' : `${count} characters`;
}

export class Invalid extends AppError {
  readonly issues: readonly FieldIssue[];

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
