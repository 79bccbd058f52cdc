import type { ApiError, FieldFault } from '../api/api-error.ts';
import { texts } from '../texts/texts.ts';
import { serverWords } from './server-words.ts';

/** The problem and its remedy, in the server's words, or in the user's language where we know it. */
export function problemText(problem: ApiError): string {
  const t = texts.value.problems;
  switch (problem.type) {
    case 'offline':
      return t.offline;
    case 'no_cookies':
      return t.noCookies;
    case 'rate_limited':
      return problem.retryAfter === null ? t.rateLimited : t.rateLimitedFor(problem.retryAfter);
    case 'forbidden':
      return `${t.forbidden} ${inWords(problem.message)}`;
    case 'query_timeout':
      return t.tooSlow;
    case 'unavailable':
    case 'unreadable':
      return t.unavailable;
    case 'internal_error':
      return t.internal(problem.requestId);
    case 'validation_error':
      return problem.fields.map(({ message }) => inWords(message)).join('. ') || inWords(problem.message);
    default:
      return inWords(problem.message);
  }
}

function inWords(message: string): string {
  return serverWords(message) ?? message;
}

/** The fault of a field, shown below it; null if none. */
export function faultOf(problem: ApiError | null, field: string): string | null {
  const faults = problem?.fields.filter((fault) => fault.field === field) ?? [];
  return faults.length === 0 ? null : faults.map(wordsOf).join(' ');
}

/** The API names the field as programs do, and people see a label above it. */
function wordsOf({ field, code, message, params }: FieldFault): string {
  const t = texts.value.problems.field;
  const [bound] = Object.values(params ?? {}).map(Number);
  switch (code) {
    case 'required':
      return t.needed;
    case 'too_short':
      return bound === 1 ? t.needed : t.moreCharacters(Number(bound));
    case 'too_long':
      return t.fewerCharacters(Number(bound));
    case 'too_small':
      return t.notBelow(Number(bound));
    case 'too_large':
      return t.notAbove(Number(bound));
    case 'fk_not_found':
      return t.gone;
    default:
      return field.endsWith('external_key') && code === 'invalid_value'
        ? t.keyCharacters
        : withoutName(field, message);
  }
}

function withoutName(field: string, message: string): string {
  if (!message.startsWith(`${field} `)) {
    return inWords(message);
  }
  const rest = inWords(message.slice(field.length + 1));
  return `${rest.charAt(0).toUpperCase()}${rest.slice(1)}.`;
}
