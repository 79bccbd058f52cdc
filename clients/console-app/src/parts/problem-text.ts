import type { ApiError } from '../api/api-error.ts';
import { texts } from '../texts/texts.ts';

/** What went wrong and what to do about it, as the server says, or in the user's language where we know it. */
export function problemText(problem: ApiError): string {
  const t = texts.value.problems;
  switch (problem.type) {
    case 'offline':
      return t.offline;
    case 'rate_limited':
      return problem.retryAfter === null ? t.rateLimited : t.rateLimitedFor(problem.retryAfter);
    case 'forbidden':
      return `${t.forbidden} ${problem.message}`;
    case 'query_timeout':
      return t.tooSlow;
    case 'unavailable':
    case 'unreadable':
      return t.unavailable;
    case 'internal_error':
      return t.internal(problem.requestId);
    case 'validation_error':
      return problem.fields.map(({ message }) => message).join('. ') || problem.message;
    default:
      return problem.message;
  }
}

/** What the server says of a field, for what stands below it; null if nothing. */
export function faultOf(problem: ApiError | null, field: string): string | null {
  const faults = problem?.fields.filter((fault) => fault.field === field) ?? [];
  return faults.length === 0 ? null : faults.map(({ message }) => message).join('. ');
}
