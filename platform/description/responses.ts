import { PROBLEMS, type ProblemType } from '../http/problem.ts';
import { type DescribedRoute, examplePath } from './described-route.ts';
import { errorExample } from './error-examples.ts';
import { exampleOf } from './example.ts';
import type { Gathered } from './gathered.ts';
import { headersOf } from './headers.ts';
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
    headers: { ...headersOf(status, route.deprecated), ...Object.fromEntries(own) },
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
