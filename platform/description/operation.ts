import type { Parameter as DeclaredParameter } from '../http/parameters.ts';
import type { DescribedRoute } from './described-route.ts';
import { exampleOf } from './example.ts';
import type { Gathered } from './gathered.ts';
import type { NamedSchemas } from './named-schemas.ts';
import type { Operation, Parameter } from './openapi.ts';
import { responsesOf } from './responses.ts';

export function operationOf(route: DescribedRoute, tag: string, gathered: Gathered): Operation {
  const { schemas } = gathered;
  const parameters = parametersOf(route, schemas);
  return {
    operationId: route.operationId,
    tags: [tag],
    summary: route.summary,
    ...(route.description === null ? {} : { description: route.description }),
    ...(route.deprecated === null ? {} : { deprecated: true, 'x-sunset': route.deprecated.sunset }),
    'x-required-scopes': route.scope === null ? [] : [route.scope],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...dependenciesOf(route),
    ...(route.body === null ? {} : { requestBody: requestBodyOf(route.body, schemas) }),
    responses: responsesOf(route, gathered),
  };
}

/** OpenAPI itself cannot express it. */
function dependenciesOf({ query: { exclusive = [] } }: DescribedRoute): Pick<Operation, 'x-dependencies'> {
  return exclusive.length === 0
    ? {}
    : { 'x-dependencies': exclusive.map((pair) => `ZeroOrOne(${pair.join(', ')});`) };
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
  { schema, isRepeatable, isRequired, description = '', example }: DeclaredParameter<unknown>,
  note: string,
  schemas: NamedSchemas,
): Parameter {
  return {
    name,
    in: place,
    required: place === 'path' || isRequired === true,
    description: description + note,
    ...(isRepeatable ? { style: 'form', explode: true } : {}),
    schema: schemas.refer(schema),
    ...(example === undefined ? {} : { example }),
  };
}

function requestBodyOf({ type, schema }: NonNullable<DescribedRoute['body']>, schemas: NamedSchemas) {
  const example = exampleOf(schema);
  return {
    required: true as const,
    content: { [type]: { schema: schemas.refer(schema), ...(example === undefined ? {} : { example }) } },
  };
}
