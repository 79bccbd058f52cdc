import type { IncomingHttpHeaders } from 'node:http';
import { notFound } from '../../base/errors.ts';
import type { Body, StreamedBody } from './body.ts';
import { type Deprecation, requireNotice } from './deprecation.ts';
import { requireMediaType } from './media-type.ts';
import { refusePreconditions } from './preconditions.ts';
import type { Headers, ProblemType } from './problem.ts';
import { type Parameters, type ParameterValues, type Query, readPath, readQuery } from './query.ts';
import type { Success } from './success.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/**
 * All there is to say of a route, said once: the router, the checks, the description and the tests read this.
 *
 * `Context` is what authentication made of the credential.
 */
export interface Declaration<Context, Q extends Parameters, P extends Parameters, Row, Input, Result> {
  method: Method;
  /** Path template: `/api/v1/assets/{asset_id}`. */
  path: string;
  /** Name of the operation in the description, and of the route in the metrics. */
  operationId: string;
  summary: string;
  /** What more there is to know before using it, in Markdown. */
  description?: string;
  /** The scope a key needs; null if any key will do. */
  scope: string | null;
  /** Left out of the public description. */
  isInternal?: true;
  /** On its way out: answers say so, and after the sunset there are none. */
  deprecated?: Deprecation;
  query: Query<Q>;
  params: P;
  /** The row that the path names, looked up before the body is read. */
  find?: {
    /** What the client is told if there is none. */
    missing: string;
    row(request: { context: Context; params: ParameterValues<P> }): Promise<Row | null>;
  };
  body?: Body<Input> | StreamedBody<Input>;
  success: Success<Result>;
  /** Problems only the handler can find, with when they occur; the others follow from what stands above. */
  problems?: Partial<Record<ProblemType, string>>;
  /** Does it, with input that passed every check. */
  handle(request: Handled<Context, Q, P, Row, Input>): Promise<Result>;
}

export interface Handled<Context, Q extends Parameters, P extends Parameters, Row, Input> {
  context: Context;
  query: ParameterValues<Q>;
  params: ParameterValues<P>;
  row: Row;
  body: Input;
  /**
   * Aborted when the caller hangs up before the answer; made when it is asked for. No getter: V8 puts those of an object
   * literal among the old objects, where they keep the request. Of 41 kB that a look-up allocates 11 outlived a collection,
   * and 3.5 do now; collections took twice as long and more.
   */
  signal(): AbortSignal;
  /** Takes what the request costs beyond the one of every request. @throws Problem `rate_limited`; nothing is taken then. */
  charge(tokens: number): Promise<void>;
}

/** A declared route whose types are settled. */
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
  /** Every problem it answers with beside 404 of unknown paths and 405, and when. */
  readonly problems: ReadonlyMap<ProblemType, string>;
  /** Checks and handles a request that is authenticated and authorized. */
  answer(exchange: Exchange, context: Context): Promise<Answer>;
}

/** What a route sees of a request. */
export interface Exchange {
  headers: IncomingHttpHeaders;
  path: string;
  /** The query string without `?`. */
  search: string;
  params: Readonly<Record<string, string>>;
  /** Aborted when the caller hangs up before the answer. */
  signal(): AbortSignal;
  charge(tokens: number): Promise<void>;
  readBody<T>(body: Body<T>): Promise<T>;
  /** @param limit in bytes. */
  streamBody(limit: number): AsyncIterable<Buffer>;
  /** Asked once the body is there. @throws Problem if the caller was revoked while it was on its way. */
  confirm(): Promise<void>;
}

export interface Answer {
  status: number;
  headers: Headers;
  body: object | null;
}

/** How routes whose handlers get a `Context` are declared. */
export function routesOf<Context>() {
  return <Q extends Parameters, P extends Parameters, Result, Row = undefined, Input = undefined>(
    declaration: Declaration<Context, Q, P, Row, Input, Result>,
  ): Route<Context> => {
    const { method, path, operationId, summary, scope, query, params, success } = declaration;
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
      query,
      params,
      body: declaration.body ?? null,
      success,
      problems: problemsOf(declaration),
      answer: (exchange, context) => answer(declaration, exchange, context),
    };
  };
}

/** The checks in their order; each ends the request if it fails. */
async function answer<Context, Q extends Parameters, P extends Parameters, Row, Input, Result>(
  declaration: Declaration<Context, Q, P, Row, Input, Result>,
  exchange: Exchange,
  context: Context,
): Promise<Answer> {
  const { find, success } = declaration;
  if (declaration.body !== undefined) {
    requireMediaType(exchange.headers, declaration.body.type);
  }
  const query = readQuery(declaration.query, exchange.search);
  const params = readPath(declaration.params, exchange.params);
  const row = await find?.row({ context, params });
  if (find !== undefined && (row === null || row === undefined)) {
    throw notFound(find.missing);
  }
  if (declaration.method !== 'GET') {
    refusePreconditions(exchange.headers);
  }
  const body = await receiveBody(declaration.body, exchange);
  // Both are there where the declaration's types say so: `Row` and `Input` are undefined without `find` and `body`.
  const result = await declaration.handle({
    context,
    query,
    params,
    row: row as Row,
    body: body as Input,
    signal: exchange.signal,
    charge: exchange.charge,
  });
  const presented = success.present(result, exchange.path);
  return {
    status: presented.status ?? success.status,
    headers: presented.headers ?? {},
    body: presented.body ?? null,
  };
}

/** Only now is the body taken from the connection. */
async function receiveBody<Input>(
  body: Body<Input> | StreamedBody<Input> | undefined,
  exchange: Exchange,
): Promise<Input | undefined> {
  if (body === undefined) {
    return undefined;
  }
  const received =
    'receive' in body
      ? await body.receive(exchange.streamBody(body.limit), exchange.headers)
      : await exchange.readBody(body);
  await exchange.confirm();
  return received;
}

function problemsOf<Context, Q extends Parameters, P extends Parameters, Row, Input, Result>(
  declaration: Declaration<Context, Q, P, Row, Input, Result>,
): ReadonlyMap<ProblemType, string> {
  const problems = new Map<ProblemType, string>([
    ['unauthorized', 'No credential, or one that is not valid'],
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
