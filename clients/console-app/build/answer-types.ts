import type { JsonSchema } from '../../../base/checks/fields.ts';
import { CSV_COLUMNS } from '../../../domain/master-data/imports/given-row.ts';
import type { OpenApiDocument } from '../../../platform/description/openapi.ts';
import { describeApi } from '../../../services/api/description/document.ts';
import { MEMBER_ROUTES, VISITOR_ROUTES } from '../../../services/console/routes.ts';

export const ANSWERS_FILE = new URL('../src/api/answers.ts', import.meta.url);

const ROOT = '/console/v1';

/**
 * The types of the console server's answers, from its route declarations: a type for each named schema, and `Answers`
 * by method and path; also the CSV columns, which the console names.
 */
export function answerTypes(): string {
  const { paths, components } = describeConsole();
  const answers = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, { responses }]) => {
      const answer = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1];
      const content = answer !== undefined && 'content' in answer ? answer.content : undefined;
      const schema = content?.['application/json']?.schema;
      const route = `${method.toUpperCase()} ${path.slice(ROOT.length)}`;
      return schema === undefined ? [] : [[route, schema] as const];
    }),
  );
  const used = new Map<string, JsonSchema>();
  const typed = answers.map(
    ([route, schema]) => `  '${route}': ${typeOf(schema, components.schemas, used)};`,
  );
  const named = [...used].map(
    ([name, schema]) => `export type ${name} = ${typeOf(schema, components.schemas, used)};`,
  );
  return [
    '// Made by `npm run types` of what the routes declare.',
    ...named.sort(),
    `export const CSV_COLUMNS = ${JSON.stringify(CSV_COLUMNS)};`,
    'export interface Answers {',
    ...typed,
    '}\n',
  ].join('\n');
}

export function describeConsole(): OpenApiDocument {
  const routes = [...MEMBER_ROUTES, ...VISITOR_ROUTES];
  return describeApi([{ name: 'Console', description: 'What it asks its server.', routes }], {
    publicUrl: null,
    limits: { perMinute: 1, burst: 1 },
  });
}

type Named = Readonly<Record<string, JsonSchema>>;

/** @param used gets the named schemas that the type refers to. */
function typeOf(schema: JsonSchema, named: Named, used: Map<string, JsonSchema>): string {
  const {
    $ref,
    'x-events': events,
    anyOf,
    enum: listed,
    const: only,
    'x-extensible-enum': known,
    type,
  } = schema;
  const inside = (each: JsonSchema) => typeOf(each, named, used);
  if ($ref !== undefined) {
    const name = String($ref).split('/').at(-1) ?? '';
    if (!used.has(name)) {
      used.set(name, named[name] ?? {});
      inside(named[name] ?? {});
    }
    return name;
  }
  if (events !== undefined) {
    return inside(events as JsonSchema);
  }
  if (anyOf !== undefined) {
    return (anyOf as JsonSchema[]).map(inside).join(' | ');
  }
  const values = (listed ?? known ?? (only === undefined ? undefined : [only])) as unknown[] | undefined;
  const types = [type ?? 'unknown'].flat();
  if (values !== undefined) {
    const literals = values.map((value) => (typeof value === 'string' ? `'${value}'` : String(value)));
    return [...new Set([...literals, ...types.filter((each) => each === 'null')])].join(' | ');
  }
  return types.map((each) => plainType(String(each), schema, inside)).join(' | ');
}

function plainType(type: string, schema: JsonSchema, inside: (schema: JsonSchema) => string): string {
  switch (type) {
    case 'integer':
      return 'number';
    case 'array':
      return arrayType(schema, inside);
    case 'object':
      return objectType(schema, inside);
    default:
      return type;
  }
}

function arrayType(
  { items = {}, prefixItems, minItems, maxItems }: JsonSchema,
  inside: (schema: JsonSchema) => string,
): string {
  if (prefixItems !== undefined) {
    return `readonly [${(prefixItems as JsonSchema[]).map(inside).join(', ')}]`;
  }
  const item = inside(items as JsonSchema);
  if (minItems === maxItems && typeof minItems === 'number') {
    return `readonly [${Array(minItems).fill(item).join(', ')}]`;
  }
  return `readonly ${/[|{[]/.test(item) ? `(${item})` : item}[]`;
}

function objectType(schema: JsonSchema, inside: (schema: JsonSchema) => string): string {
  const { properties, required = [], additionalProperties: others } = schema;
  if (properties === undefined) {
    return `Readonly<Record<string, ${typeof others === 'object' ? inside(others as JsonSchema) : 'unknown'}>>`;
  }
  const members = Object.entries(properties as Named).map(
    ([name, property]) =>
      `${name}${(required as readonly string[]).includes(name) ? '' : '?'}: ${inside(property)}`,
  );
  return `{ ${members.join('; ')} }`;
}
