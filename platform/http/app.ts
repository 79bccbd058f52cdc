import Koa, { type Middleware } from 'koa';
import type { Logger } from 'pino';
import type { Networks } from '../../base/networks.ts';
import { clientAddress, comesByUnnamedProxy } from './client-address.ts';
import { Dispatching, type DispatchOptions } from './dispatch.ts';
import type { Entrance, Limiter } from './entrance.ts';
import { HUNG_UP_STATUS, isHangUp, isInterrupted } from './hanging-up.ts';
import { measureRequests } from './metrics.ts';
import { envelope, toProblem } from './problem.ts';
import { requireClearHeaders } from './request-headers.ts';
import { REQUEST_ID_HEADER, requestIdOf } from './request-id.ts';
import { createRequestLog, type LoggedRequests, type RequestLog } from './request-log.ts';
import { normalizeTarget, requireUtf8Path } from './request-target.ts';
import { unknownPath } from './router.ts';
import { sendJson } from './send.ts';
import { boundUnreadAnswers } from './unread-answers.ts';

export interface HttpAppOptions<Context, Credential = string>
  extends Entrance<Context, Credential>,
    DispatchOptions {
  logRequests?: LoggedRequests;
  /** Whose X-Forwarded-For counts; nobody's by default. */
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
    koa.set(REQUEST_ID_HEADER, requestId);
    if (!isProxyNoticed && comesByUnnamedProxy(koa.req, trustedProxies)) {
      // Once: anybody can send the header.
      isProxyNoticed = true;
      log.warn(
        { remoteAddress: koa.req.socket.remoteAddress },
        'Requests with X-Forwarded-For come from an unnamed address; if it is your proxy, name it in TRUSTED_PROXIES',
      );
    }
    return next();
  };
}

/**
 * Maps thrown errors to the error envelope. Of the headers set for a success, only those common to all
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
      // An invalid target has no path.
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
