import { CHALLENGE } from '../../shared/http/bearer.ts';
import { PROBLEMS, type ProblemType } from '../../shared/http/problem.ts';
import { type DescribedResource, publicPart } from './described-route.ts';
import { errorSchema } from './error-schema.ts';
import type { Gathered } from './gathered.ts';
import { guide, type Limits } from './guide.ts';
import { HEADERS } from './headers.ts';
import { NamedSchemas } from './named-schemas.ts';
import type { DescribedMethod, OpenApiDocument, PathItem } from './openapi.ts';
import { operationOf } from './operation.ts';
import { methodNotAllowed } from './responses.ts';

export interface DescriptionOptions {
  /** The address clients reach the API at; null if that is where they got the description from. */
  publicUrl: string | null;
  limits: Limits;
}

/** The part of the API that is for everyone, as an OpenAPI 3.1 document (interface section 9). */
export function describePublicApi(
  resources: readonly DescribedResource[],
  options: DescriptionOptions,
): OpenApiDocument {
  return describeApi(
    resources.flatMap((resource) => publicPart(resource) ?? []),
    options,
  );
}

/** Routes as an OpenAPI 3.1 document: assembled from what routes and checks requests, so that it cannot differ. */
export function describeApi(
  resources: readonly DescribedResource[],
  { publicUrl, limits }: DescriptionOptions,
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
      title: 'tagtrail',
      version: '1.0.0',
      summary: 'Where assets are, where they have been, and how long they stayed.',
      description: guide(limits, types),
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [serverOf(publicUrl)],
    security: [{ apiKey: [] }],
    tags: resources.map(({ name, description }) => ({ name, description })),
    paths,
    components: {
      schemas: gathered.schemas.all,
      responses: gathered.responses,
      headers: { ...HEADERS },
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: `An API key, \`Authorization: Bearer tt_...\`. Each operation names the scopes it takes in \`x-required-scopes\`. Answers without a valid key carry \`WWW-Authenticate: ${CHALLENGE}\`.`,
        },
      },
    },
  };
}

/** The types of errors there are: those of the routes, and those of paths and methods that are none. */
function problemTypesOf(resources: readonly DescribedResource[]): ProblemType[] {
  const declared = resources.flatMap(({ routes }) => routes.flatMap(({ problems }) => [...problems.keys()]));
  const all = new Set<ProblemType>([...declared, 'not_found', 'method_not_allowed', 'gone']);
  return (Object.keys(PROBLEMS) as ProblemType[]).filter((type) => all.has(type));
}

function serverOf(publicUrl: string | null): { url: string; description: string } {
  return publicUrl === null
    ? { url: '/', description: 'Where this description was fetched from.' }
    : { url: addressOf(new URL(publicUrl)), description: 'Where clients reach the API.' };
}

/** Without what has no place in front of a path. */
function addressOf({ origin, pathname }: URL): string {
  return origin + pathname.replace(/\/+$/, '');
}
