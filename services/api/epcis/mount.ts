import type { Context, Middleware } from 'koa';
import { VERSION } from '../../../base/version.ts';
import {
  type envelope,
  PROBLEMS,
  type Presented,
  Problem,
  type ProblemType,
} from '../../../platform/http/problem.ts';
import { BODY_LIMIT } from '../../../platform/http/read-body.ts';

export const EPCIS = '/epcis/v2';

/** Of EPCIS (ISO/IEC 19987) and of its core business vocabulary (ISO/IEC 19988). */
const SPOKEN = '2.0.0';

const SPEAKS = {
  'GS1-EPCIS-Version': SPOKEN,
  'GS1-EPCIS-Min': SPOKEN,
  'GS1-EPCIS-Max': SPOKEN,
  'GS1-CBV-Version': SPOKEN,
  'GS1-CBV-Min': SPOKEN,
  'GS1-CBV-Max': SPOKEN,
  'GS1-Extensions': '',
};

/** Events of a capture. */
export const MOST_EVENTS = 1_000;

const CAPTURES = {
  'GS1-EPCIS-Capture-Limit': String(MOST_EVENTS),
  'GS1-EPCIS-Capture-File-Size-Limit': String(BODY_LIMIT),
};

/** Headers of a path, beside those of all. */
const OF_PATHS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '/capture': { ...CAPTURES, 'GS1-Capture-Error-Behaviour': 'rollback' },
  '/events': CAPTURES,
};

/** The standard's headers, discovery and problems for what is below its path. */
export const mountEpcis: Middleware = async (koa, next) => {
  koa.set({ ...SPEAKS, ...OF_PATHS[koa.path.slice(EPCIS.length)] });
  koa.state['present'] = presenting(koa.method);
  // The root has two spellings.
  koa.path = koa.path === EPCIS ? `${EPCIS}/` : koa.path;
  const refused = refusalOf(koa);
  if (refused !== null) {
    send(koa, presented(406, 'NotAcceptable', 'Not acceptable', refused));
    return;
  }
  try {
    await next();
    if (koa.status === 200 && koa.accepts([...MEDIA_TYPES]) === 'application/ld+json') {
      koa.set('Content-Type', 'application/ld+json');
    }
  } catch (error) {
    const allowed = error instanceof Problem && koa.method === 'OPTIONS' ? error.headers['Allow'] : undefined;
    if (allowed === undefined || allowed === '') {
      throw allowed === undefined ? error : new Problem('not_found', `Unknown path: ${koa.path}`);
    }
    koa.body = null;
    koa.status = 204;
    koa.set({
      ...{ Allow: `OPTIONS, ${allowed}`, 'GS1-EPC-Format': 'Always_GS1_Digital_Link' },
      'GS1-Vendor-Version': `tagtrail-${VERSION}`,
    });
  }
};

/** Why the request cannot be answered in a way that its sender would understand; null if it can. */
function refusalOf(koa: Context): string | null {
  for (const standard of ['EPCIS', 'CBV']) {
    const [least, most] = [koa.get(`GS1-${standard}-Min`), koa.get(`GS1-${standard}-Max`)];
    const version = koa.get(`GS1-${standard}-Version`);
    if (
      (least !== '' && !(compared(least, SPOKEN) <= 0)) ||
      (most !== '' && !(compared(most, SPOKEN) >= 0)) ||
      (version !== '' && compared(version, SPOKEN) !== 0)
    ) {
      return `GS1-${standard}-Version, -Min and -Max must admit ${SPOKEN}, the only version spoken here`;
    }
  }
  if (
    !['', 'No_Preference', 'Always_GS1_Digital_Link', 'Never_Translates'].includes(koa.get('GS1-EPC-Format'))
  ) {
    return 'GS1-EPC-Format must be Always_GS1_Digital_Link, No_Preference or Never_Translates';
  }
  return koa.accepts([...MEDIA_TYPES]) === false ? `Accept must admit ${MEDIA_TYPES.join(' or ')}` : null;
}

const MEDIA_TYPES = ['application/json', 'application/ld+json', 'application/problem+json'];

/** Negative, zero or positive: versions of numbers and points, missing ones zero. NaN for anything else. */
function compared(left: string, right: string): number {
  if (!/^\d{1,9}(\.\d{1,9}){0,9}$/.test(left)) {
    return Number.NaN;
  }
  const [one, other] = [left, right].map((version) => version.split('.').map(Number));
  for (let at = 0; at < Math.max(one?.length ?? 0, other?.length ?? 0); at++) {
    const difference = (one?.[at] ?? 0) - (other?.[at] ?? 0);
    if (difference !== 0) {
      return difference;
    }
  }
  return 0;
}

function send(koa: Context, { status, type, body }: Presented): void {
  koa.status = status;
  koa.body = JSON.stringify(body);
  koa.set('Content-Type', type);
}

/** Presents problems as the standard has them (RFC 7807). */
function presenting(method: string): typeof envelope {
  return (problem, path, requestId) => presentProblem(problem, `${method} ${path}`, requestId);
}

/** @param request its method and path. */
export function presentProblem(problem: Problem, request: string, requestId: string): Presented {
  const { status, title } = PROBLEMS[problem.type];
  return presented(status, exceptionOf(problem, request), title, problem.message, {
    ...(problem.fields === undefined ? {} : { fields: problem.fields }),
    request_id: requestId,
  });
}

function presented(status: number, exception: string, title: string, detail: string, more = {}): Presented {
  const body = { type: `epcisException:${exception}Exception`, title, status, detail, ...more };
  return { status, type: 'application/problem+json', body };
}

function exceptionOf({ type, fields }: Problem, request: string): string {
  if (type === 'not_found') {
    return request.includes('/queries/') ? 'NoSuchName' : 'NoSuchResource';
  }
  if (request.endsWith('/subscriptions') && EXCEPTIONS[type] === 'Validation') {
    return 'SubscriptionControls';
  }
  if (request.startsWith('GET ')) {
    if (type === 'payload_too_large') {
      return 'QueryTooLarge';
    }
    if (type === 'validation_error' && fields !== undefined && /\/events(?:\/|$)/.test(request)) {
      return 'QueryParameter';
    }
  }
  return EXCEPTIONS[type] ?? 'Implementation';
}

const EXCEPTIONS: Partial<Record<ProblemType, string>> = {
  validation_error: 'Validation',
  bad_request: 'Validation',
  unauthorized: 'Security',
  forbidden: 'Security',
  missing_org_context: 'Security',
  conflict: 'ResourceAlreadyExists',
  feed_expired: 'NoSuchResource',
  payload_too_large: 'CaptureLimitExceeded',
  unsupported_media_type: 'UnsupportedMediaType',
  query_timeout: 'QueryTooComplex',
};
