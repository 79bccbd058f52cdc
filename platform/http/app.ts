import { randomFillSync } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Middleware } from 'koa';
import Koa from 'koa';
import type { Logger } from 'pino';
import { Counter, Histogram, type Registry } from 'prom-client';
import { ulid } from 'ulid';
import type { Networks } from '../../base/networks.ts';
import { LogBudget } from '../runtime/log-budget.ts';
import { clientAddress, comesByUnnamedProxy } from './client-address.ts';
import { Dispatching, type DispatchOptions, sendJson } from './dispatch.ts';
import type { Entrance, Limiter } from './entrance.ts';
import { HUNG_UP_STATUS, isHangUp, isInterrupted, whenClosed } from './hanging-up.ts';
import { badRequest, type Caller, envelope, toProblem } from './problem.ts';
import { encodesUtf8 } from './query.ts';
import { createRequestLog, type LoggedRequests, type RequestLog } from './request-log.ts';
import { unknownPath } from './router.ts';

/** Bytes of all unread answers at a port. */
const MOST = 128 * 1_048_576;

/** Bytes from which an answer counts: shorter ones fit into the socket's buffer. */
const LARGE = 16_384;

export interface HttpAppOptions<Context, Credential = string>
  extends Entrance<Context, Credential>,
    DispatchOptions {
  logRequests?: LoggedRequests;
  /** The proxies whose X-Forwarded-For counts; none by default. */
  trustedProxies?: Networks;
  pages?: readonly Middleware[];
  /** Pages about the API, without credentials: they show the rate-limit budget but do not use it. */
  documents?: readonly Middleware[];
  /** Further entrances, asked first: routes with callers of another kind. */
  entrances?: readonly ((dispatching: Dispatching) => Middleware)[];
}

/**
 * An HTTP application of declared routes; it does not listen. Order of checks (contract 4.8): routing (404, 405, 410),
 * 401, 429, 403, then those of the route.
 */
export function createHttpApp<Context, Credential = string>(
  options: HttpAppOptions<Context, Credential>,
): Koa {
  const app = new Koa();
  app.on('error', (error) => {
    if (!isHangUp(error)) {
      options.log.debug({ err: error }, 'Response could not be sent');
    }
  });
  app.use(boundUnreadAnswers(options.log));
  app.use(measureRequests(options.registry));
  app.use(identify(options.trustedProxies ?? [], options.log));
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
  const dispatching = new Dispatching(options);
  for (const entrance of options.entrances ?? []) {
    app.use(entrance(dispatching));
  }
  app.use(dispatching.routesOf(options));
  app.use(unknownPath);
  return app;
}

function identify(trustedProxies: Networks, log: Logger): Middleware {
  let isProxyNoticed = false;
  return (koa, next) => {
    const requestId = requestIdOf(koa.req);
    koa.state['requestId'] = requestId;
    koa.state['address'] = clientAddress(koa.req, trustedProxies);
    koa.set('X-Request-ID', requestId);
    if (!isProxyNoticed && comesByUnnamedProxy(koa.req, trustedProxies)) {
      // Once: anybody can send the header.
      isProxyNoticed = true;
      log.warn(
        { remoteAddress: koa.req.socket.remoteAddress },
        'X-Forwarded-For comes from an address that TRUSTED_PROXIES does not name; if it is your proxy, add it',
      );
    }
    return next();
  };
}

/**
 * Maps thrown errors to the error envelope, or what `present` of the state makes of them. Of the headers set for a success, only those common to all
 * answers are kept.
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
      const present: typeof envelope = koa.state['present'] ?? envelope;
      // An invalid target has no path.
      const { status, type, body } = present(problem, koa.path || '/', requestId);
      sendJson(koa, status, body, type);
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

/** Counts and times requests by operation, so that the number of series does not grow with the number of paths. */
function measureRequests(registry: Registry): Middleware {
  const labelNames = ['operation', 'method', 'status'] as const;
  const requests = new Counter({
    name: 'tagtrail_http_requests_total',
    help: 'Requests answered.',
    labelNames,
    registers: [registry],
  });
  const seconds = new Histogram({
    name: 'tagtrail_http_request_duration_seconds',
    help: 'Time from a request to its answer.',
    labelNames: ['operation'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  return async (koa, next) => {
    const start = performance.now();
    try {
      await next();
    } finally {
      const operation = String(koa.state['operation'] ?? 'none');
      requests.inc({ operation, method: koa.method, status: koa.status });
      seconds.observe({ operation }, (performance.now() - start) / 1000);
    }
  };
}

/**
 * Refuses a missing (RFC 9112 section 3.2) or invalid `Host`, and repeated headers that must be single:
 * Node.js keeps the first, a proxy in front of it perhaps the last.
 *
 * @throws Problem `bad_request`.
 */
const requireClearHeaders: Middleware = ({ req }, next) => {
  if (req.httpVersion === '1.1' && req.headers.host === undefined) {
    throw badRequest('Host header is required');
  }
  if (!HOST.test(req.headers.host ?? '')) {
    throw badRequest('Host header is not valid');
  }
  const repeated = repeatedHeader(req);
  if (repeated !== null) {
    throw badRequest(`${repeated} header must be given only once`);
  }
  return next();
};

/** A name or an address, and an optional port (RFC 9110 section 7.2). */
const HOST = /^(?:\[[\w:.%]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/;

const SINGLE = ['Host', 'Authorization', 'Content-Type'];

function repeatedHeader({ rawHeaders }: IncomingMessage): string | null {
  return SINGLE.find((name) => countOf(name, rawHeaders) > 1) ?? null;
}

/** @param rawHeaders names and values, alternating. */
function countOf(wanted: string, rawHeaders: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length === wanted.length && name.toLowerCase() === wanted.toLowerCase()) {
      count += 1;
    }
  }
  return count;
}

/**
 * Reduces a request target of any form to path and query (RFC 9112 section 3.2). For an invalid URL Koa would throw or
 * return null wherever the path is read.
 *
 * @throws Problem `bad_request`.
 */
const normalizeTarget: Middleware = (koa, next) => {
  const target = koa.req.url ?? '';
  if (!target.startsWith('/') && target !== '*') {
    koa.req.url = '';
    if (!URL.canParse(target)) {
      throw badRequest('Request target is not valid');
    }
    const { pathname, search } = new URL(target);
    koa.req.url = pathname + search;
  }
  return next();
};

/** @throws Problem `bad_request` for a path that is not UTF-8. */
const requireUtf8Path: Middleware = ({ path }, next) => {
  if (!encodesUtf8(path)) {
    throw badRequest('Request path must be percent-encoded UTF-8');
  }
  return next();
};

/**
 * The caller's request id unchanged, or a new ULID (contract 7.1). Surrounding blanks are trimmed; Node.js
 * adds some if the header is repeated and one is empty.
 */
function requestIdOf(request: IncomingMessage): string {
  const inbound = request.headers['x-request-id']?.toString().trim() ?? '';
  return inbound === '' ? ulid(undefined, randomFraction) : inbound;
}

/**
 * Random bytes for many ids at once. The library asks the system for each of an id's sixteen: 7 % of a look-up's time.
 */
const POOL = new Uint8Array(4096);
let used = POOL.length;

function randomFraction(): number {
  if (used === POOL.length) {
    randomFillSync(POOL);
    used = 0;
  }
  return (POOL[used++] ?? 0) / 256;
}

/**
 * Bounds the memory of unread answers: a console that asked for the tree of 48,000 locations once a second and read
 * nothing took 6 MB a second. Beyond the bound the oldest answer of the largest holder is cut off, never the newest, so
 * everyone who reads gets an answer. Streams hold one piece each.
 *
 * @param most bytes.
 */
function boundUnreadAnswers(log: Logger, most = MOST): Middleware {
  const unread = new UnreadAnswers();
  const budget = new LogBudget(1);
  return async ({ state, method, req, res, response }, next) => {
    await next();
    const { body } = response;
    if (method === 'HEAD' || !Buffer.isBuffer(body) || body.length < LARGE) {
      return;
    }
    const caller: Caller | undefined = state['caller'];
    const holder =
      caller?.['orgId'] === undefined ? `at ${req.socket.remoteAddress}` : `of ${caller['orgId']}`;
    unread.add(holder, body, res);
    while (unread.bytes > most && unread.cutOldest(body)) {
      if (budget.take('') !== null) {
        log.warn(`Unread answers exceeded ${most} bytes; the oldest are cut off`);
      }
    }
  };
}

/** Stores each body once, however many answers share it. */
class UnreadAnswers {
  /** By holder, oldest first. */
  readonly #held = new Map<string, Map<Buffer, Set<ServerResponse>>>();
  readonly #bytesOf = new Map<string, number>();
  bytes = 0;

  add(holder: string, body: Buffer, response: ServerResponse): void {
    const bodies = this.#held.get(holder) ?? new Map<Buffer, Set<ServerResponse>>();
    this.#held.set(holder, bodies);
    const responses = bodies.get(body);
    if (responses === undefined) {
      bodies.set(body, new Set([response]));
      this.#count(holder, body.length);
    } else {
      responses.add(response);
    }
    whenClosed(response, () => this.#remove(holder, body, response));
  }

  /** @param newest is never cut off. @returns false if it is all there is. */
  cutOldest(newest: Buffer): boolean {
    let largest = '';
    for (const [holder, bytes] of this.#bytesOf) {
      if (bytes > (this.#bytesOf.get(largest) ?? 0)) {
        largest = holder;
      }
    }
    for (const [body, responses] of this.#held.get(largest) ?? []) {
      if (body !== newest) {
        for (const response of responses) {
          this.#remove(largest, body, response);
          response.destroy();
        }
        return true;
      }
    }
    return false;
  }

  #remove(holder: string, body: Buffer, response: ServerResponse): void {
    const bodies = this.#held.get(holder);
    const responses = bodies?.get(body);
    if (responses?.delete(response) && responses.size === 0) {
      bodies?.delete(body);
      this.#count(holder, -body.length);
    }
  }

  #count(holder: string, more: number): void {
    this.bytes += more;
    const bytes = (this.#bytesOf.get(holder) ?? 0) + more;
    if (bytes === 0) {
      this.#bytesOf.delete(holder);
      this.#held.delete(holder);
    } else {
      this.#bytesOf.set(holder, bytes);
    }
  }
}
