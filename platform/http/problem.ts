import type { JsonSchema } from '../../base/checks/fields.ts';
import { type FieldIssue, Invalid, ISSUE_CODES } from '../../base/checks/issues.ts';
import { AppError, type AppErrorCode, DatabaseUnavailable, IdsUsedUp } from '../../base/errors.ts';

/** Contract 7.2. The only place that assigns HTTP statuses to errors. */
export const PROBLEMS = {
  validation_error: { status: 400, title: 'Validation failed' },
  bad_request: { status: 400, title: 'Bad request' },
  unauthorized: { status: 401, title: 'Unauthorized' },
  forbidden: { status: 403, title: 'Forbidden' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  request_timeout: { status: 408, title: 'Request timed out' },
  conflict: { status: 409, title: 'Conflict' },
  gone: { status: 410, title: 'Gone' },
  feed_expired: { status: 410, title: 'Feed expired' },
  payload_too_large: { status: 413, title: 'Payload too large' },
  unsupported_media_type: { status: 415, title: 'Unsupported media type' },
  missing_org_context: { status: 422, title: 'Missing org context' },
  rate_limited: { status: 429, title: 'Rate limited' },
  internal_error: { status: 500, title: 'Internal server error' },
  query_timeout: { status: 503, title: 'Query timed out' },
  unavailable: { status: 503, title: 'Unavailable' },
} as const;

export type ProblemType = keyof typeof PROBLEMS;

export type Headers = Readonly<Record<string, string>>;

/** Contract 7.1. */
export const FIELD_ERROR: JsonSchema = {
  title: 'FieldError',
  description: 'What is wrong with one field of the body or one parameter.',
  type: 'object',
  properties: {
    field: {
      type: 'string',
      description: 'The key in the body, or the name of the parameter; inside an array `tags[0].value`.',
    },
    code: {
      type: 'string',
      'x-extensible-enum': ISSUE_CODES,
      description: 'Why it was refused. More codes may come: tolerate unknown ones.',
    },
    message: { type: 'string', minLength: 1, description: 'For people; the wording may change.' },
    params: {
      type: 'object',
      additionalProperties: true,
      description: 'The bound that was crossed, such as `max_length`, or the `allowed_values`.',
    },
  },
  required: ['field', 'code', 'message'],
};

/** Several values of a header that is sent several times. */
export type AnswerHeaders = Readonly<Record<string, string | string[]>>;

export type Caller = Readonly<Record<string, string | number>>;

/** `detail`, for programs. */
type Params = Readonly<Record<string, number>>;

interface ProblemExtras {
  fields?: FieldIssue[];
  params?: Params;
  headers?: Headers;
  caller?: Caller;
}

/** Ends a request with an error envelope. `detail` is for the client. */
export class Problem extends Error {
  readonly type: ProblemType;
  readonly fields: readonly FieldIssue[] | undefined;
  readonly params: Params | undefined;
  readonly headers: Headers;
  readonly caller: Caller | undefined;

  constructor(type: ProblemType, detail: string, extras: ProblemExtras = {}) {
    super(detail);
    this.name = 'Problem';
    this.type = type;
    this.fields = extras.fields;
    this.params = extras.params;
    this.headers = extras.headers ?? {};
    this.caller = extras.caller;
  }

  get status(): number {
    return PROBLEMS[this.type].status;
  }
}

export function badRequest(detail: string): Problem {
  return new Problem('bad_request', detail);
}

/**
 * Maps any thrown value to the client's view (contract 7.2); our own failures reveal nothing. The only place
 * that maps domain errors to HTTP.
 */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) {
    return error;
  }
  if (error instanceof Invalid) {
    return new Problem('validation_error', error.message, { fields: [...error.issues] });
  }
  if (error instanceof IdsUsedUp || (error instanceof AppError && error.code === 'outcome_unknown')) {
    return new Problem('internal_error', error.message);
  }
  if (error instanceof DatabaseUnavailable) {
    return tryLater('unavailable', error.message);
  }
  const type = error instanceof AppError ? TYPE_OF_CODE[error.code] : 'internal_error';
  if (type === 'query_timeout') {
    return queryTimeout((error as AppError).message);
  }
  return type === 'internal_error'
    ? new Problem(type, 'The request could not be completed because of an internal error')
    : new Problem(type, (error as AppError).message);
}

function tryLater(type: ProblemType, detail: string): Problem {
  return new Problem(type, detail, { headers: { 'Retry-After': '5' } });
}

/** It is moving to another cell, or has moved: the next request may be led there. */
export function organizationMoves(caller: Caller): Problem {
  const detail = 'The organization moves to another cell right now; nothing was changed';
  return new Problem('unavailable', detail, { headers: { 'Retry-After': '1' }, caller });
}

export function queryTimeout(detail: string): Problem {
  return tryLater('query_timeout', detail);
}

const TYPE_OF_CODE: Record<AppErrorCode, ProblemType> = {
  invalid_input: 'bad_request',
  misconfigured: 'internal_error',
  not_found: 'not_found',
  forbidden: 'forbidden',
  conflict: 'conflict',
  timed_out: 'query_timeout',
  unavailable: 'internal_error',
  // Not 503, which says that nothing was changed: proxies retry such requests.
  outcome_unknown: 'internal_error',
};

/** An error's answer. */
export interface Presented {
  status: number;
  type: string;
  body: object;
}

/** Contract 7.1. */
export function envelope(problem: Problem, instance: string, requestId: string): Presented {
  const { status, title } = PROBLEMS[problem.type];
  const body = {
    error: {
      type: problem.type,
      title,
      status,
      detail: problem.message,
      instance,
      request_id: requestId,
      ...(problem.fields === undefined ? {} : { fields: problem.fields }),
      ...(problem.params === undefined ? {} : { params: problem.params }),
    },
  };
  return { status, type: 'application/json', body };
}
