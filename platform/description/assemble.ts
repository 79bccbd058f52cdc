import type { JsonSchema } from '../../base/checks/fields.ts';
import type { Parameter as DeclaredParameter } from '../http/parameters.ts';
import { FIELD_ERROR, PROBLEMS, type ProblemType } from '../http/problem.ts';
import { type DescribedResource, type DescribedRoute, examplePath } from './described-route.ts';
import { HEADERS } from './headers.ts';
import { NamedSchemas } from './named-schemas.ts';
import type { DescribedMethod, OpenApiDocument, Operation, Parameter, PathItem } from './openapi.ts';
import type { Gathered } from './responses.ts';
import { exampleOf, methodNotAllowed, responsesOf } from './responses.ts';

export interface About {
  title: string;
  summary: string;
  guide(types: readonly ProblemType[]): string;
  server: { url: string; description: string };
  credential: { name: string; description: string };
}

/** Builds an OpenAPI 3.1 document from the declarations that route and check requests, so that it cannot drift. */
export function assembleDocument(
  resources: readonly DescribedResource[],
  { title, summary, guide, server, credential }: About,
): OpenApiDocument {
  const types = problemTypesOf(resources);
  const gathered: Gathered = { schemas: new NamedSchemas(), responses: {}, error: errorSchema(types) };
  const paths: Record<string, PathItem> = {};
  for (const { name, routes } of resources) {
    for (const route of routes) {
      const method = route.method.toLowerCase() as DescribedMethod;
      paths[route.path] = { ...paths[route.path], [method]: operationOf(route, name, gathered) };
    }
  }
  gathered.responses['MethodNotAllowed'] = methodNotAllowed(gathered);
  return {
    openapi: '3.1.1',
    info: {
      title,
      version: '1.0.0',
      summary,
      description: guide(types),
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [server],
    security: [{ [credential.name]: [] }],
    tags: resources.map(({ name, description }) => ({ name, description })),
    paths,
    components: {
      schemas: gathered.schemas.all,
      responses: gathered.responses,
      headers: { ...HEADERS },
      securitySchemes: {
        [credential.name]: { type: 'http', scheme: 'bearer', description: credential.description },
      },
    },
  };
}

function problemTypesOf(resources: readonly DescribedResource[]): ProblemType[] {
  const declared = resources.flatMap(({ routes }) => routes.flatMap(({ problems }) => [...problems.keys()]));
  const all = new Set<ProblemType>([...declared, 'not_found', 'method_not_allowed', 'gone']);
  return (Object.keys(PROBLEMS) as ProblemType[]).filter((type) => all.has(type));
}

/** Contract 7.1, with today's types. */
function errorSchema(types: readonly ProblemType[]): JsonSchema {
  return {
    title: 'Error',
    description: 'The body of every answer that is not a success.',
    type: 'object',
    properties: {
      error: {
        title: 'ErrorDetails',
        description: 'What went wrong.',
        type: 'object',
        properties: {
          type: {
            type: 'string',
            'x-extensible-enum': types,
            description: 'Branch on this. More types may come: treat unknown ones by their status.',
          },
          title: { type: 'string', description: 'The same for every error of the type.' },
          status: { type: 'integer', minimum: 400, maximum: 599, description: 'The status of the answer.' },
          detail: { type: 'string', minLength: 1, description: 'For people; the wording may change.' },
          instance: { type: 'string', description: 'The path that was asked for.' },
          request_id: { type: 'string', description: 'The same as the header `X-Request-ID`.' },
          fields: {
            type: 'array',
            minItems: 1,
            items: FIELD_ERROR,
            description: 'Everything that is wrong; on a `validation_error` only.',
          },
          params: {
            type: 'object',
            additionalProperties: true,
            description:
              'Figures that `detail` names, for programs: `oldest` and `head` of a `feed_expired`.',
          },
        },
        required: ['type', 'title', 'status', 'detail', 'instance', 'request_id'],
      },
    },
    required: ['error'],
  };
}

function operationOf(route: DescribedRoute, tag: string, gathered: Gathered): Operation {
  const { schemas } = gathered;
  const parameters = parametersOf(route, schemas);
  const requestBody = route.body === null ? null : requestBodyOf(route.body, schemas);
  return {
    operationId: route.operationId,
    tags: [tag],
    summary: route.summary,
    ...(route.description === null ? {} : { description: route.description }),
    ...(route.deprecated === null ? {} : { deprecated: true, 'x-sunset': route.deprecated.sunset }),
    'x-required-scopes': route.scope === null ? [] : [route.scope],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...dependenciesOf(route),
    ...(requestBody === null ? {} : { requestBody }),
    responses: responsesOf(route, gathered),
    'x-codeSamples': [{ lang: 'shell', label: 'curl', source: curlOf(route, parameters, requestBody) }],
  };
}

/** With the variables of the guide's first steps, and without optional parameters, some of which exclude others. */
function curlOf(route: DescribedRoute, parameters: readonly Parameter[], body: RequestBody | null): string {
  const query = new URLSearchParams();
  for (const { name, example, required, in: place } of parameters) {
    if (place === 'query' && (required || route.query.shown?.includes(name))) {
      query.append(name, String(example));
    }
  }
  const target = examplePath(route) + (query.size === 0 ? '' : `?${query}`);
  const method = route.method === 'GET' ? '' : ` -X ${route.method}`;
  const [[type, { example }] = ['', {}]] = Object.entries(body?.content ?? {});
  const sent = `'${JSON.stringify(example, null, 2)?.replaceAll("'", "'\\''")}'`;
  const sending = body === null ? '' : ` \\\n  -H 'Content-Type: ${type}' -d ${sent}`;
  return `curl${method} "$BASE_URL${target}" -H "Authorization: Bearer $API_KEY"${sending}`;
}

/** OpenAPI itself cannot express it. */
function dependenciesOf({
  query: { exclusive = [], needs = {} },
}: DescribedRoute): Pick<Operation, 'x-dependencies'> {
  const rules = [
    ...exclusive.map((pair) => `ZeroOrOne(${pair.join(', ')});`),
    ...Object.entries(needs).map(([name, other]) => `IF ${name} THEN ${other};`),
  ];
  return rules.length === 0 ? {} : { 'x-dependencies': rules };
}

function parametersOf({ params, query }: DescribedRoute, schemas: NamedSchemas): Parameter[] {
  const inPath = Object.entries(params).map(([name, parameter]) =>
    parameterOf(name, 'path', parameter, '', schemas),
  );
  const inQuery = Object.entries(query.parameters).map(([name, parameter]) => {
    const others = (query.exclusive ?? []).filter((pair) => pair.includes(name)).flat();
    const note = others
      .filter((other) => other !== name)
      .map((other) => ` Not together with \`${other}\`.`)
      .join('');
    return parameterOf(name, 'query', parameter, note, schemas);
  });
  return [...inPath, ...inQuery];
}

function parameterOf(
  name: string,
  place: 'path' | 'query',
  { schema, isRepeatable, isRequired, hasMembers, description = '', example }: DeclaredParameter<unknown>,
  note: string,
  schemas: NamedSchemas,
): Parameter {
  return {
    name,
    in: place,
    required: place === 'path' || isRequired === true,
    description: description + note,
    ...(isRepeatable || hasMembers ? { style: 'form', explode: true } : {}),
    // In this style the members of an object are parameters by themselves.
    schema: schemas.refer(
      hasMembers ? { ...schema, propertyNames: { pattern: String.raw`^${name}\.[^\u0000]+$` } } : schema,
    ),
    ...(example === undefined ? {} : { example }),
  };
}

type RequestBody = NonNullable<Operation['requestBody']>;

function requestBodyOf(
  { type, schema }: NonNullable<DescribedRoute['body']>,
  schemas: NamedSchemas,
): RequestBody {
  const example = exampleOf(schema);
  return {
    required: true,
    content: { [type]: { schema: schemas.refer(schema), ...(example === undefined ? {} : { example }) } },
  };
}
