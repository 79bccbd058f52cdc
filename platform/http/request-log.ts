import type Koa from 'koa';
import type { Logger } from 'pino';
import { AppError, messageOf } from '../../base/errors.ts';
import { LogBudget } from '../runtime/log-budget.ts';
import { choiceSetting } from '../runtime/setting-kinds.ts';
import type { Caller, Problem } from './problem.ts';

export const LOG_REQUESTS = choiceSetting(
  'which requests are logged: those that failed, or all',
  ['failed', 'all'],
  'failed',
);

export type LoggedRequests = 'failed' | 'all';

export interface RequestLog {
  answered(koa: Koa.Context, since: number): void;
  abandoned(koa: Koa.Context, since: number): void;
  failed(koa: Koa.Context, since: number, problem: Problem, cause: unknown): void;
}

/**
 * Logs failed requests with id, caller and operation: at `warn` if the caller can fix it, at `error`
 * otherwise. On request logs all others at `info` (2.6 us a line), and those without credentials, such as
 * health checks, at `debug`. Queries, bodies and headers are never logged.
 */
export function createRequestLog(log: Logger, wanted: LoggedRequests): RequestLog {
  const budget = new LogBudget(LINES_A_MINUTE);
  const ended = (how: string) => (koa: Koa.Context, since: number) => {
    if (wanted === 'all') {
      log[koa.state['operation'] === undefined ? 'debug' : 'info'](about(koa, since), how);
    }
  };
  return {
    answered: ended('Request answered'),
    abandoned: ended('Request abandoned by its caller'),
    failed: (koa, since, problem, cause) => {
      const caller = callerOf(koa, problem);
      const subject = `${problem.status} ${JSON.stringify(caller)}`;
      const leftOut = wanted === 'all' ? 0 : budget.take(subject);
      if (leftOut === null) {
        return;
      }
      const isOurs = problem.type === 'internal_error';
      log[isOurs ? 'error' : 'warn'](
        {
          ...about(koa, since),
          ...caller,
          error: problem.type,
          ...(isOurs ? { err: cause } : { detail: shortened(problem.message), ...reasonOf(cause) }),
          ...(leftOut > 0 ? { leftOut } : {}),
        },
        'Request failed',
      );
    },
  };
}

/** Per caller and status, unless all requests are logged. */
const LINES_A_MINUTE = 60;

function about(koa: Koa.Context, since: number): object {
  return {
    requestId: shortened(koa.state['requestId']),
    ...koa.state['caller'],
    operation: koa.state['operation'],
    method: koa.method,
    // An invalid target has no path.
    path: shortened(koa.path ?? ''),
    status: koa.status,
    milliseconds: Math.round((performance.now() - since) * 10) / 10,
  };
}

function callerOf(koa: Koa.Context, problem: Problem): Caller {
  return koa.state['caller'] ?? problem.caller ?? { remoteAddress: koa.state['address'] || 'gone' };
}

function reasonOf(thrown: unknown): { reason?: string } {
  return thrown instanceof AppError && thrown.cause !== undefined
    ? { reason: shortened(messageOf(thrown.cause)) }
    : {};
}

function shortened(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}...` : text;
}

const LONGEST = 200;
