import { texts } from '../texts/texts.ts';
import type { Answer } from './answers.ts';

interface Body {
  data?: unknown;
  total_count?: number;
  error?: Fault;
}

/** @returns null for invalid JSON. */
export function inJson(text: string): Body | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * @param body null if it is not JSON and hence not the gateway's.
 * @param mayForbid whether 403 is about what was asked, and not about the token.
 */
export function answerOf(response: Response, body: Body | null, mayForbid = false): Answer<unknown> {
  const { status } = response;
  if (response.ok) {
    return body?.data === undefined ? foreign() : { kind: 'ok', data: body.data, total: body.total_count };
  }
  const detail = body?.error?.detail;
  // It takes no body that takes as long, either: half of it comes sooner.
  if (status === 413 || status === 408) {
    return { kind: 'too_large', detail: detail ?? answeredWith(status), isForSlowness: status === 408 };
  }
  if (status === 429 || status >= 500) {
    return { kind: 'unreachable', detail: detail ?? answeredWith(status), seconds: retryAfter(response) };
  }
  if (body?.error === undefined || detail === undefined) {
    return { kind: 'unreachable', detail: answeredWith(status), seconds: null };
  }
  // A token may stop being good in more than one way: 403 and 422 say that its organization is gone.
  if (status === 401 || (status === 403 && !mayForbid) || status === 422) {
    return { kind: 'unauthorized', detail };
  }
  return { kind: 'refused', status, detail: inWords(body.error) };
}

/** Seconds; null for an invalid value. Servers in front of the gateway may send a date instead. */
function retryAfter({ headers }: Response): number | null {
  const said = headers.get('Retry-After') ?? '';
  const seconds = /^\s*\d+\s*$/.test(said) ? Number(said) : (Date.parse(said) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : null;
}

interface Fault {
  detail?: string;
  fields?: readonly { field: string; message: string }[];
}

/** Faults by field, a few at most, for the user to pass on. */
function inWords({ detail = '', fields = [] }: Fault): string {
  const said = fields.slice(0, 3).map(({ message }) => message);
  const more = fields.length - said.length;
  return said.length === 0 ? detail : said.join('. ') + (more > 0 ? texts.value.gateway.more(more) : '');
}

export function foreign(): { kind: 'unreachable'; detail: string; seconds: null } {
  return { kind: 'unreachable', detail: texts.value.gateway.foreign, seconds: null };
}

/** For the user to tell whoever runs what is between device and gateway. */
function answeredWith(status: number): string {
  return texts.value.gateway.status(status);
}
