import type { IncomingHttpHeaders } from 'node:http';
import { notFound } from '../../base/errors.ts';
import { type Body, requireMediaType, type StreamedBody } from './body.ts';
import { type AnswerHeaders, badRequest, type Headers, Problem, type ProblemType } from './problem.ts';
import { NO_QUERY, type Parameters, type ParameterValues, type Query, readPath, readQuery } from './query.ts';
import type { Success } from './success.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/**
 * Declares a route once; router, checks, description and tests read it.
 *
 * `Context` is the result of authentication.
 */
export interface Declaration<Context, Q extends Parameters, P extends Parameters, Row, Input, Result> {
  method: Method;
  /** Path template: `/api/v1/assets/{asset_id}`. */
  path: string;
  operationId: string;
  summary: string;
  description?: string;
  /** Null if any key is allowed. */
  scope: string | null;
  isInternal?: true;
  /** Adds deprecation headers; after the sunset it answers 410. */
  deprecated?: Deprecation;
  query?: Query<Q>;
  params?: P;
  find?: {
    missing: string;
    row(request: { context: Context; params: ParameterValues<P> }): Promise<Row | null>;
  };
  body?: Body<Input> | StreamedBody<Input>;
  success: Success<Result>;
  /** Problems that only the handler finds, and when; the others follow from the declaration. */
  problems?: Partial<Record<ProblemType, string>>;
  handle(request: Handled<Context, Q, P, Row, Input>): Promise<Result>;
}

export interface Handled<Context, Q extends Parameters, P extends Parameters, Row, Input> {
  context: Context;
  query: ParameterValues<Q>;
  params: ParameterValues<P>;
  row: Row;
  body: Input;
  requestId: string;
  /** The query as it was sent. */
  search: string;
  /**
   * Aborted when the caller hangs up before the answer; created on demand. Not a getter: V8 pretenures the getters of
   * object literals, and they keep the request alive. Of 41 kB that a look-up allocates 11 survived a collection, now
   * 3.5; collections took more than twice as long.
   */
  signal(): AbortSignal;
  /** Takes tokens beyond the request's one. @throws Problem `rate_limited`; then nothing is taken. */
  charge(tokens: number): Promise<void>;
  /** For a request that waited. @throws Problem if the caller was revoked meanwhile. */
  confirm(): Promise<void>;
}

export interface Route<Context> {
  readonly method: Method;
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string | null;
  readonly scope: string | null;
  readonly isInternal: boolean;
  readonly deprecated: Deprecation | null;
  readonly query: Query;
  readonly params: Parameters;
  readonly body: Body<unknown> | StreamedBody<unknown> | null;
  readonly success: Omit<Success<never>, 'present'>;
  readonly hasEtag: boolean;
  /** All problems it can answer, except 404 of unknown paths and 405. */
  readonly problems: ReadonlyMap<ProblemType, string>;
  answer(exchange: Exchange, context: Context): Promise<Answer>;
}

export interface Exchange {
  requestId: string;
  headers: IncomingHttpHeaders;
  path: string;
  search: string;
  params: Readonly<Record<string, string>>;
  signal(): AbortSignal;
  charge(tokens: number): Promise<void>;
  readBody<T>(body: Body<T>): Promise<T>;
  /** @param limit in bytes. */
  streamBody(limit: number, kept?: number): AsyncIterable<Buffer>;
  unfoldBody(bytes: number): Promise<void>;
  /** Called once the body is complete, and after a wait. @throws Problem if the caller was revoked meanwhile. */
  confirm(): Promise<void>;
}

export interface Answer {
  status: number;
  headers: AnswerHeaders;
  body: object | null;
}

export function routesOf<Context>() {
  return <
    Result,
    Q extends Parameters = Record<never, never>,
    P extends Parameters = Record<never, never>,
    Row = undefined,
    Input = undefined,
  >(
    declaration: Declaration<Context, Q, P, Row, Input, Result>,
  ): Route<Context> => {
    const { method, path, operationId, summary, scope, success } = declaration;
    const deprecated = declaration.deprecated ?? null;
    requireNotice(deprecated);
    return {
      method,
      path,
      operationId,
      summary,
      description: declaration.description ?? null,
      scope,
      isInternal: declaration.isInternal === true,
      deprecated,
      query: declaration.query ?? NO_QUERY,
      params: declaration.params ?? {},
      body: declaration.body ?? null,
      success,
      hasEtag: method === 'GET' && success.hasEtag === true,
      problems: problemsOf(declaration),
      answer: (exchange, context) => answer(declaration, exchange, context),
    };
  };
}

/** Runs the checks in order (contract 4.8); the first failure ends the request. */
async function answer<Context, Q extends Parameters, P extends Parameters, Row, Input, Result>(
  declaration: Declaration<Context, Q, P, Row, Input, Result>,
  exchange: Exchange,
  context: Context,
): Promise<Answer> {
  const { find, success } = declaration;
  if (declaration.body !== undefined) {
    requireMediaType(exchange.headers, declaration.body.type);
  }
  // Safe by the declaration's types: a handler cannot name parameters that are not declared.
  const query = readQuery(declaration.query ?? NO_QUERY, exchange.search) as ParameterValues<Q>;
  const params = readPath(declaration.params ?? {}, exchange.params) as ParameterValues<P>;
  const row = await find?.row({ context, params });
  if (find !== undefined && (row === null || row === undefined)) {
    throw notFound(find.missing);
  }
  if (declaration.method !== 'GET') {
    refusePreconditions(exchange.headers);
  }
  const body = await receiveBody(declaration.body, exchange);
  // Safe by the declaration's types: `Row` and `Input` are undefined without `find` and `body`.
  const result = await declaration.handle({
    context,
    query,
    params,
    row: row as Row,
    body: body as Input,
    requestId: exchange.requestId,
    search: exchange.search,
    signal: exchange.signal,
    charge: exchange.charge,
    confirm: exchange.confirm,
  });
  const presented = success.present(result, exchange.path);
  return {
    status: presented.status ?? success.status,
    headers: presented.headers ?? {},
    body: presented.body ?? null,
  };
}

/** Reads the body; before this, none of it is read from the connection. */
async function receiveBody<Input>(
  body: Body<Input> | StreamedBody<Input> | undefined,
  exchange: Exchange,
): Promise<Input | undefined> {
  if (body === undefined) {
    return undefined;
  }
  const received =
    'receive' in body
      ? await body.receive(exchange.streamBody(body.limit, body.kept), exchange.headers, exchange.unfoldBody)
      : await exchange.readBody(body);
  await exchange.confirm();
  return received;
}

function problemsOf<Context, Q extends Parameters, P extends Parameters, Row, Input, Result>(
  declaration: Declaration<Context, Q, P, Row, Input, Result>,
): ReadonlyMap<ProblemType, string> {
  const problems = new Map<ProblemType, string>([
    ['unauthorized', 'No valid credential'],
    ['bad_request', unreadable(declaration)],
    ['rate_limited', 'Too many requests; try again later'],
    [
      'validation_error',
      `A parameter ${declaration.body === undefined ? '' : 'or a field of the body '}is not valid`,
    ],
    ['internal_error', 'The request failed for no fault of its own; a write may have been carried out'],
    [
      'query_timeout',
      'It took too long, or waited too long for others of the organization; nothing was changed',
    ],
    ['unavailable', NO_DATABASE],
  ]);
  if (declaration.scope !== null) {
    problems.set('forbidden', 'The key does not have the required scope');
  }
  if (declaration.deprecated !== undefined) {
    problems.set('gone', 'The sunset of the operation has passed');
  }
  if (declaration.find !== undefined) {
    problems.set('not_found', declaration.find.missing);
  }
  if (declaration.body !== undefined) {
    problems.set('unsupported_media_type', 'The body is not of the media type required');
    problems.set('payload_too_large', 'The body is too large');
    problems.set('request_timeout', 'The body did not come to its end in time');
    problems.set('unavailable', `${NO_DATABASE}; or ${lower(NO_ROOM)}`);
  }
  for (const [type, when] of Object.entries(declaration.problems ?? {})) {
    const other = type === 'unavailable' ? problems.get(type) : undefined;
    problems.set(type as ProblemType, other === undefined ? when : `${when}; or ${lower(other)}`);
  }
  return problems;
}

const NO_DATABASE = 'The database cannot be reached right now; nothing was changed';
const NO_ROOM = 'Too many large bodies are being sent at once; nothing was changed';

function lower(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}

function unreadable({ method, body }: { method: Method; body?: object }): string {
  return [
    'The path is not UTF-8, or a header is repeated',
    ...(method === 'GET' ? [] : ['a condition is given (`If-Match`, `If-Unmodified-Since`)']),
    ...(body === undefined ? [] : ['the body cannot be decoded']),
  ].join('; ');
}

/**
 * Refuses unsupported preconditions on writes, since their senders rely on them. The supported way is a PATCH
 * with the `updated_at` that was read (contract 4.7).
 *
 * @throws Problem `bad_request`.
 */
function refusePreconditions(headers: IncomingHttpHeaders): void {
  const given = CONDITIONS.find((name) => headers[name.toLowerCase()] !== undefined);
  if (given !== undefined) {
    throw badRequest(
      `${given} is not supported; to change only what has not changed since, send the updated_at you read in a PATCH`,
    );
  }
}

const CONDITIONS = ['If-Match', 'If-Unmodified-Since'];

/** Deprecation of a route (contract 9). Dates are `YYYY-MM-DD`, from midnight UTC. */
export interface Deprecation {
  since: string;
  /** Date from which it answers 410 only. */
  sunset: string;
}

const MONTHS_OF_NOTICE = 6;

/** @throws Error unless six months lie between announcement and sunset. */
function requireNotice(deprecation: Deprecation | null): void {
  if (deprecation === null) {
    return;
  }
  const earliest = midnight(deprecation.since);
  earliest.setUTCMonth(earliest.getUTCMonth() + MONTHS_OF_NOTICE);
  if (midnight(deprecation.sunset) < earliest) {
    throw new Error(`${deprecation.sunset} is less than six months after ${deprecation.since}`);
  }
}

/** Contract 9, RFC 8594. */
export function deprecationHeaders({ sunset }: Deprecation): Headers {
  return { Deprecation: 'true', Sunset: midnight(sunset).toUTCString() };
}

/** @throws Problem `gone` if the sunset is not after `now`, in milliseconds since 1970. */
export function refuseAfterSunset({ sunset }: Deprecation, now: number): void {
  if (midnight(sunset).getTime() <= now) {
    throw new Problem('gone', `This operation was discontinued on ${sunset}`);
  }
}

/** @throws Error if it is no date. */
function midnight(date: string): Date {
  const time = new Date(`${date}T00:00:00Z`);
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date) || Number.isNaN(time.getTime())) {
    throw new Error(`${date} is not a date`);
  }
  return time;
}
