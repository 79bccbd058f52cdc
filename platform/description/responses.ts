import type { JsonSchema } from '../../base/checks/fields.ts';
import { bearerToken } from '../http/bearer.ts';
import { parseBody, requireMediaType } from '../http/body.ts';
import { envelope, PROBLEMS, Problem, type ProblemType, queryTimeout, toProblem } from '../http/problem.ts';
import { readQuery } from '../http/query.ts';
import { BODY_LIMIT } from '../http/read-body.ts';
import { type DescribedRoute, examplePath } from './described-route.ts';
import { HEADERS, headersOf } from './headers.ts';
import type { NamedSchemas } from './named-schemas.ts';
import type { Reference, Response } from './openapi.ts';

const SHARED: Partial<Record<ProblemType, string>> = {
  unauthorized: 'Unauthorized',
  payload_too_large: 'PayloadTooLarge',
  rate_limited: 'RateLimited',
  internal_error: 'InternalError',
  query_timeout: 'QueryTimeout',
};

/** All answers of an operation, by status; several reasons for one status are all named. */
export function responsesOf(route: DescribedRoute, gathered: Gathered): Record<string, Response | Reference> {
  const responses: Record<string, Response | Reference> = {
    [route.success.status]: successOf(route, route.success, gathered),
  };
  if (route.hasEtag) {
    gathered.responses['NotModified'] ??= {
      description: 'It is still what `If-None-Match` names. It took a token like any other answer.',
      headers: headersOf(304, null),
    };
    responses[304] = { $ref: '#/components/responses/NotModified' };
  }
  const { otherwise } = route.success;
  if (otherwise !== undefined) {
    responses[otherwise.status] = successOf(route, otherwise, gathered);
  }
  const byStatus = Map.groupBy(route.problems.keys(), (type) => PROBLEMS[type].status);
  for (const [status, types] of [...byStatus].sort(([a], [b]) => a - b)) {
    const response = errorOf(status, types, route, gathered);
    const [only = 'internal_error', ...others] = types;
    const name = others.length === 0 && route.deprecated === null ? SHARED[only] : undefined;
    if (name === undefined) {
      responses[status] = response;
    } else {
      gathered.responses[name] ??= response;
      responses[status] = { $ref: `#/components/responses/${name}` };
    }
  }
  return responses;
}

/** Belongs to a path and to no operation. */
export function methodNotAllowed({ schemas, error }: Gathered): Response {
  return {
    description:
      'The path does not have this method; `Allow` names those it has. OPTIONS is never one of them: calls from browsers of other origins are not supported.',
    'x-error-types': ['method_not_allowed'],
    headers: headersOf(405, null),
    content: { 'application/json': { schema: schemas.refer(error) } },
  };
}

function successOf(
  route: DescribedRoute,
  { status, description }: { status: number; description: string },
  { schemas }: Gathered,
): Response {
  const { schema, headers } = route.success;
  const own = Object.entries(headers).map(([name, meaning]) => [
    name,
    {
      description: meaning,
      required: true,
      schema: { type: 'string' },
      ...(name === 'Location' ? { example: locationExample(route) } : {}),
    },
  ]);
  const response = {
    description,
    headers: {
      ...headersOf(status, route.deprecated),
      ...(route.hasEtag ? { ETag: { $ref: '#/components/headers/ETag' } } : {}),
      ...Object.fromEntries(own),
    },
  };
  if (schema === null) {
    return response;
  }
  const example = exampleOfSuccess(route);
  return {
    ...response,
    content: {
      'application/json': {
        schema: schemas.refer(schema),
        ...(example === undefined ? {} : { example }),
      },
    },
  };
}

function exampleOfSuccess({ success }: DescribedRoute): { data?: object } | undefined {
  const example = exampleOf(success.schema ?? {}) as { data?: object | object[] } | undefined;
  if (example?.data === undefined) {
    return example;
  }
  const data = Array.isArray(example.data)
    ? example.data.map((item: object) => ({ ...item, ...success.example }))
    : { ...example.data, ...success.example };
  return { ...example, data };
}

function locationExample(route: DescribedRoute): string {
  const { data } = exampleOfSuccess(route) ?? {};
  return `${examplePath(route)}/${data !== undefined && 'id' in data ? data.id : 1}`;
}

function errorOf(
  status: number,
  types: readonly ProblemType[],
  route: DescribedRoute,
  { schemas, error }: Gathered,
): Response {
  const examples = types.flatMap((type) => {
    const value = errorExample(type, route, examplePath(route));
    return value === null ? [] : [[type, { summary: PROBLEMS[type].title, value }]];
  });
  return {
    description: types.map((type) => `\`${type}\`: ${route.problems.get(type)}.`).join(' '),
    'x-error-types': types,
    headers: headersOf(status, route.deprecated),
    content: {
      'application/json': {
        schema: schemas.refer(error),
        ...(examples.length === 0 ? {} : { examples: Object.fromEntries(examples) }),
      },
    },
  };
}

/** An example from the code that builds real answers. Null for types that differ too much from case to case. */
function errorExample(type: ProblemType, route: DescribedRoute, instance: string): object | null {
  const problem = MAKE[type]?.(route) ?? null;
  return problem === null ? null : envelope(problem, instance, String(HEADERS['X-Request-ID']?.example)).body;
}

const MAKE: Partial<Record<ProblemType, (route: DescribedRoute) => Problem | null>> = {
  validation_error: ({ query }) => thrownBy(() => readQuery(query, 'colour=red')),
  bad_request: () => thrownBy(() => parseBody(Buffer.from('{"name":'))),
  unauthorized: () => thrownBy(() => bearerToken({})),
  forbidden: ({ scope }) => new Problem('forbidden', `Missing required scope: ${scope}`),
  // "Asset not found, or the tag is not attached to it": the first of two cases.
  not_found: ({ problems }) => new Problem('not_found', problems.get('not_found')?.split(',')[0] ?? ''),
  feed_expired: () =>
    new Problem(
      'feed_expired',
      'Events after position 0 are not kept any more; the oldest is 901, the head 48123',
      {
        params: { oldest: 901, head: 48_123 },
      },
    ),
  payload_too_large: () =>
    new Problem('payload_too_large', `Request body must be at most ${BODY_LIMIT} bytes`),
  unsupported_media_type: ({ body }) =>
    body === null ? null : thrownBy(() => requireMediaType({ 'content-type': 'text/plain' }, body.type)),
  missing_org_context: () =>
    new Problem('missing_org_context', 'The organization of this API key no longer exists'),
  rate_limited: () => new Problem('rate_limited', 'Retry after 1 seconds'),
  query_timeout: () =>
    queryTimeout('The query took too long and was cancelled; narrow it with filters, or try again later'),
  internal_error: () => toProblem(new Error('an example')),
};

function thrownBy(work: () => unknown): Problem {
  try {
    work();
  } catch (error) {
    return toProblem(error);
  }
  throw new Error('an example of an error is not an error');
}

export interface Gathered {
  schemas: NamedSchemas;
  responses: Record<string, Response>;
  error: JsonSchema;
}

/**
 * The schema's own example, or one composed of its parts.
 *
 * @returns undefined if the schema does not suggest a value.
 */
export function exampleOf(schema: JsonSchema): unknown {
  const { examples, const: only, default: initial, properties, items } = schema;
  if (Array.isArray(examples)) {
    return examples[0];
  }
  if (only !== undefined || initial !== undefined) {
    return only ?? initial;
  }
  if (properties !== undefined) {
    const each = Object.entries(properties as Readonly<Record<string, JsonSchema>>);
    return Object.fromEntries(each.map(([name, property]) => [name, exampleOf(property)]));
  }
  return items === undefined ? undefined : [exampleOf(items as JsonSchema)];
}
