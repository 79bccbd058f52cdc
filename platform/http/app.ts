import { Readable } from 'node:stream';
import Koa, { type Middleware } from 'koa';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { expensiveTurns } from '../../base/expensive-turns.ts';
import { GOOD_FOR_MS } from '../../base/heard-everywhere.ts';
import { writeJson } from '../../base/json/json-text.ts';
import { bearerToken } from './bearer.ts';
import type { Body } from './body.ts';
import { ROOM, type Sender } from './body-bounds.ts';
import { BodyRoom } from './body-room.ts';
import { checkBody, takeBody } from './checked-body.ts';
import { deprecationHeaders, refuseAfterSunset } from './deprecation.ts';
import { HUNG_UP_STATUS, isHangUp, isInterrupted, signalOf } from './hanging-up.ts';
import { JsonBytes } from './json-bytes.ts';
import { LargeAnswers } from './large-answers.ts';
import type { LargeBodies } from './large-bodies.ts';
import { measureBodies } from './measure-bodies.ts';
import { measureRequests } from './metrics.ts';
import { type Caller, envelope, type Headers, Problem, toProblem } from './problem.ts';
import { RequestBody } from './read-body.ts';
import { requireClearHeaders } from './request-headers.ts';
import { REQUEST_ID_HEADER, requestIdOf } from './request-id.ts';
import { createRequestLog, type LoggedRequests, type RequestLog } from './request-log.ts';
import { normalizeTarget, requireUtf8Path } from './request-target.ts';
import type { Route } from './route.ts';
import { type Dispatch, routerOf, unknownPath } from './router.ts';
import { StreamedList } from './streamed-list.ts';

/** Turns credentials into the context that handlers get. */
export interface Access<Context> {
  /** @throws Problem `unauthorized` for a bad token. */
  authenticate(token: string): Promise<Context>;
  /** @throws Problem if the caller may not use the route. */
  authorize(context: Context, route: Route<Context>): void;
  /** Ids for the log. */
  callerOf(context: Context): Caller;
}

/** Rate-limits callers. */
export interface Limiter<Context> {
  /** Headers of answers that cost nothing. */
  idle(): Headers;
  /** Takes one token. @throws Problem `rate_limited`, with the same headers. */
  take(context: Context): Promise<Headers>;
  /** Takes further tokens, all or none. @throws Problem `rate_limited` if the caller cannot pay all of them. */
  takeMore(context: Context, tokens: number): Promise<Headers>;
}

/** Reports a bad token, why it was refused, and its origin. */
export type NoteRefusal = (token: string, refusal: Problem, address: string | undefined) => void;

export interface HttpAppOptions<Context> {
  routes: readonly Route<Context>[];
  access: Access<Context>;
  log: Logger;
  /** Defaults to those that failed. */
  logRequests?: LoggedRequests;
  registry: Registry;
  /** Without one, callers are not rate-limited. */
  limiter?: Limiter<Context>;
  /**
   * Worker threads for large bodies, and the module that defines the bodies for them; without it all are checked on the
   * main thread.
   */
  largeBodies?: { threads: LargeBodies; bodies: string };
  /** Decides what a request without a good credential gets, by its address; its own refusal by default. */
  refuseSignIn?: (refusal: Problem, address: string | undefined) => Problem;
  /** Called with a bad token before the answer is decided. */
  noteRefusal?: NoteRefusal;
  /** Served beside the routes, without credentials. */
  pages?: readonly Middleware[];
  /** Pages about the API, without credentials: they show the rate-limit budget and cost nothing of it. */
  documents?: readonly Middleware[];
  /** Milliseconds since 1970, for sunsets; the machine's clock by default. */
  now?: () => number;
}

/**
 * An HTTP application of declared routes; it does not listen. Order of checks (contract 4.8): routing (404, 405, 410),
 * 401, 429, 403, then those of the route.
 */
export function createHttpApp<Context>(options: HttpAppOptions<Context>): Koa {
  const app = new Koa();
  app.on('error', (error) => {
    if (!isHangUp(error)) {
      options.log.debug({ err: error }, 'Response could not be sent');
    }
  });
  app.use(measureRequests(options.registry));
  app.use(identify);
  app.use(answerProblems(createRequestLog(options.log, options.logRequests ?? 'failed')));
  app.use(normalizeTarget);
  for (const page of options.pages ?? []) {
    app.use(page);
  }
  if (options.limiter !== undefined) {
    app.use(showIdleBudget(options.limiter));
  }
  app.use(requireClearHeaders);
  app.use(requireUtf8Path);
  for (const document of options.documents ?? []) {
    app.use(document);
  }
  app.use(routerOf(options.routes, dispatcher(options)));
  app.use(unknownPath);
  return app;
}

const identify: Middleware = (koa, next) => {
  const requestId = requestIdOf(koa.req);
  koa.state['requestId'] = requestId;
  koa.set(REQUEST_ID_HEADER, requestId);
  return next();
};

/**
 * Turns whatever is thrown into an error envelope. Of headers set for a success only those of every answer are kept.
 */
function answerProblems(log: RequestLog): Middleware {
  return async (koa, next) => {
    const since = performance.now();
    try {
      await next();
      log.answered(koa, since);
    } catch (error) {
      if (isInterrupted(koa.res, error)) {
        koa.status = HUNG_UP_STATUS;
        log.abandoned(koa, since);
        return;
      }
      const problem = toProblem(error);
      const requestId: string = koa.state['requestId'];
      koa.set(problem.headers);
      // A target that is not valid has no path.
      sendJson(koa, problem.status, envelope(problem, koa.path || '/', requestId));
      log.failed(koa, since, problem, error);
    }
  };
}

function showIdleBudget<Context>(limiter: Limiter<Context>): Middleware {
  return (koa, next) => {
    koa.set(limiter.idle());
    return next();
  };
}

function dispatcher<Context>(options: HttpAppOptions<Context>): Dispatch<Context> {
  const { access, limiter, log, largeBodies, now = Date.now } = options;
  const largeAnswers = new LargeAnswers(log);
  const refusals = measureBodies(options.registry, () => room.bytes);
  const room = new BodyRoom(ROOM, (why) => refusals.inc({ why }));
  return async (koa, route, params) => {
    koa.state['operation'] = route.operationId;
    if (route.deprecated !== null) {
      koa.set(deprecationHeaders(route.deprecated));
      refuseAfterSunset(route.deprecated, now());
    }
    const signedInAt = performance.now();
    const context = await signIn(koa, options);
    const caller = access.callerOf(context);
    koa.state['caller'] = caller;
    if (limiter !== undefined) {
      koa.set(await limiter.take(context));
    }
    access.authorize(context, route);
    const body = new RequestBody(
      koa.req,
      room,
      () => senderOf(caller),
      () => signalOf(koa.res),
    );
    const exchange = {
      requestId: koa.state['requestId'],
      headers: koa.req.headers,
      path: koa.path,
      search: koa.querystring,
      params,
      signal: () => signalOf(koa.res),
      charge: async (tokens: number) => {
        if (limiter !== undefined && tokens > 0) {
          koa.set(await limiter.takeMore(context, tokens));
        }
      },
      readBody: async <T>(declared: Body<T>) => {
        const bytes = await body.read();
        if (largeBodies === undefined) {
          return takeBody(declared, checkBody(declared, bytes));
        }
        const where = { bodies: largeBodies.bodies, operationId: route.operationId };
        return largeBodies.threads.read(declared, where, bytes, caller, () => signalOf(koa.res));
      },
      streamBody: (limit: number) => body.stream(limit),
      confirm: async () => {
        if (performance.now() - signedInAt > GOOD_FOR_MS) {
          access.authorize(await signIn(koa, options), route);
        }
      },
    };
    const answer = await (route.body === null
      ? route.answer(exchange, context)
      : expensiveTurns.request(() => route.answer(exchange, context)).finally(() => body.leave()));
    koa.set(answer.headers);
    if (answer.body instanceof StreamedList) {
      sendStream(koa, answer.status, largeAnswers, answer.body);
    } else {
      sendJson(koa, answer.status, answer.body);
    }
  };
}

/** Callers of an organization share its room. */
function senderOf(caller: Caller): Sender {
  return { organization: String(caller['orgId'] ?? ''), caller: JSON.stringify(caller) };
}

/** A HEAD request reads none of it. */
function sendStream(koa: Koa.Context, status: number, large: LargeAnswers, list: StreamedList): void {
  koa.status = status;
  koa.set('Content-Type', 'application/json');
  koa.body = koa.method === 'HEAD' ? Readable.from([]) : large.open(list, koa.res, koa.state['caller']);
}

/** @throws Problem `unauthorized`, or what replaces it. */
async function signIn<Context>(
  { req }: Koa.Context,
  { access, refuseSignIn = (refusal) => refusal, noteRefusal }: HttpAppOptions<Context>,
): Promise<Context> {
  let token: string | null = null;
  try {
    token = bearerToken(req.headers);
    return await access.authenticate(token);
  } catch (error) {
    if (!(error instanceof Problem && error.type === 'unauthorized')) {
      throw error;
    }
    const { remoteAddress } = req.socket;
    if (token !== null) {
      noteRefusal?.(token, error, remoteAddress);
    }
    throw refuseSignIn(error, remoteAddress);
  }
}

function sendJson(koa: Koa.Context, status: number, body: object | null): void {
  koa.status = status;
  if (body === null) {
    koa.body = null;
  } else {
    koa.set('Content-Type', 'application/json');
    koa.body =
      body instanceof JsonBytes
        ? Buffer.from(body.bytes.buffer, body.bytes.byteOffset, body.bytes.byteLength)
        : sendable(writeJson(body), koa.state['requestId']);
  }
}

/**
 * ASCII goes to the socket in one write with the headers, which saves a look-up 7 us. Anything else goes as bytes:
 * Node.js would send the headers of a text body in UTF-8, and a request id is Latin-1. So does large text, for which
 * Node.js would allocate three times its length: 34 us instead of 43 for 21 kB.
 */
function sendable(text: string, requestId: string): string | Buffer {
  if (!isAscii(text)) {
    return Buffer.from(text);
  }
  return text.length < LARGE && isAscii(requestId) ? text : Buffer.from(text, 'latin1');
}

/** Bytes that Node.js writes without allocating, at three per character. */
const LARGE = 16_384 / 3;

function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length;
}
