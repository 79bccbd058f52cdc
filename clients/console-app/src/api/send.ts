import { signal } from '@preact/signals';
import type { QueryValues } from '../router/address.ts';
import { withValues } from '../router/address.ts';
import { isAway } from './activity.ts';
import { ApiError, errorOf } from './api-error.ts';
import { organizationId } from './organization.ts';
import { noteServerTime } from './server-clock.ts';
import { noteWrite } from './writes.ts';

const ROOT = '/console/v1';

export interface Sent {
  query?: QueryValues;
  body?: unknown;
  signal?: AbortSignal;
}

/** How often the server was reached again after it could not be. */
export const reconnections = signal(0);

let isCut = false;

export function noteReached(): void {
  if (isCut) {
    isCut = false;
    reconnections.value += 1;
  }
}

/** Called where a request is answered with 401: the session is over. */
let whenSignedOut: () => void = () => {};

export function onSignedOut(callback: () => void): void {
  whenSignedOut = callback;
}

let underWay = 0;

/** Whether each request has its answer. */
export const isQuiet = () => underWay === 0;

export const read = <Answer>(path: string, sent?: Sent) => send<Answer>('GET', path, sent);
export const post = <Answer>(path: string, body?: unknown) => send<Answer>('POST', path, { body });
export const patch = <Answer>(path: string, body: unknown) => send<Answer>('PATCH', path, { body });
export const remove = (path: string, query: QueryValues = {}) => send<undefined>('DELETE', path, { query });

/** How many things fit into an address: ids, or keys at their longest. */
export const MOST_NAMED = { number: 200, string: 20 };

/** Reads all things that a parameter of the query names, in as many requests as their names need. */
export async function readOfMany<Answer extends { data: readonly unknown[] }>(
  path: string,
  { query = {}, ...sent }: Sent = {},
): Promise<Answer> {
  const [name, values] = Object.entries(query).find(([, value]) => Array.isArray(value)) ?? ['', []];
  const named = values as readonly (number | string)[];
  const parts: Answer[] = [];
  const most = MOST_NAMED[typeof named[0] as 'number' | 'string'];
  for (let at = 0; at < named.length; at += most) {
    const part = { ...query, [name]: named.slice(at, at + most) };
    parts.push(await read<Answer>(path, { query: part, ...sent }));
  }
  return { ...(parts[0] as Answer), data: parts.flatMap(({ data }) => data) };
}

/**
 * The answer's body as the server wrote it, `data` with its siblings; undefined without a body. A write makes reads of
 * the same resource run again.
 *
 * @throws ApiError if it was refused, or nothing answered.
 */
async function send<Answer>(method: string, path: string, sent: Sent = {}): Promise<Answer> {
  underWay += 1;
  try {
    const response = await answerOf(method, path, sent);
    if (method !== 'GET') {
      noteWrite(path);
    }
    return (response.status === 204 ? undefined : await response.json()) as Answer;
  } finally {
    underWay -= 1;
  }
}

/** An answer that is read piece by piece. @throws ApiError if it was refused, or nothing was answered. */
export async function answerOf(method: string, path: string, sent: Sent = {}): Promise<Response> {
  const { body, query = {}, signal: stop = null } = sent;
  const response = await fetch(addressOf(path, query), {
    method,
    signal: stop,
    headers: headersFor(method, body),
    ...(body === undefined ? {} : { body: body instanceof Blob ? body : JSON.stringify(body) }),
  }).catch((error: unknown) => {
    if (stop?.aborted === true) {
      throw error;
    }
    isCut = true;
    throw new ApiError(0, 'offline', String(error));
  });
  noteReached();
  noteServerTime(response.headers.get('date'));
  if (!response.ok) {
    const error = await errorOf(response);
    if (response.status === 401 && !path.startsWith('/session')) {
      whenSignedOut();
    }
    throw error;
  }
  return response;
}

/** For links and images too, because they send no headers. */
export function addressOf(path: string, query: QueryValues = {}): string {
  const text = withValues(new URLSearchParams(), query).toString();
  return `${ROOT}${path}${text === '' ? '' : `?${text}`}`;
}

/** Forms of other sites can send neither header. */
function headersFor(method: string, body: unknown): Record<string, string> {
  const headers: Record<string, string> = {};
  if (organizationId.value !== null) {
    headers['X-Tagtrail-Organization'] = String(organizationId.value);
  }
  if (method !== 'GET') {
    headers['X-Tagtrail-Console'] = '1';
  }
  if (isAway(Date.now())) {
    headers['X-Tagtrail-Idle'] = '1';
  }
  if (body instanceof Blob) {
    headers['Content-Type'] = body.type;
  } else if (body !== undefined) {
    headers['Content-Type'] = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  }
  return headers;
}
