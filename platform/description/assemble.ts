import { PROBLEMS, type ProblemType } from '../http/problem.ts';
import type { DescribedResource } from './described-route.ts';
import { errorSchema } from './error-schema.ts';
import type { Gathered } from './gathered.ts';
import { HEADERS } from './headers.ts';
import { NamedSchemas } from './named-schemas.ts';
import type { DescribedMethod, OpenApiDocument, PathItem } from './openapi.ts';
import { operationOf } from './operation.ts';
import { methodNotAllowed } from './responses.ts';

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
