import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import type { JsonSchema } from '../../../base/checks/fields.ts';
import type { OpenApiDocument, Operation } from '../../../platform/description/openapi.ts';

/** What goes into a request; its path is still to be filled in. */
export interface Made {
  search: string;
  body?: unknown;
}

const ajv = new Ajv2020({ strict: false });
const READABLE = ['enum', 'x-extensible-enum'] as const;
const MOST_ITEMS = 4;

export function requestsOf(document: OpenApiDocument, operation: Operation): fc.Arbitrary<Made> {
  const values = valuesOf(document);
  const [media] = Object.values(operation.requestBody?.content ?? {});
  const parameters = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query');
  const query = fc.record(Object.fromEntries(parameters.map(({ name, schema }) => [name, values(schema)])), {
    requiredKeys: parameters.filter(({ required }) => required).map(({ name }) => name),
  });
  return fc.record({
    search: query.map((given) => searchOf(withoutRivals(given, operation))),
    ...(media === undefined ? {} : { body: values(media.schema) }),
  });
}

/** Of parameters that exclude each other, the first that is given stays; none stays without one that it needs. */
function withoutRivals(given: Record<string, unknown>, operation: Operation): [string, unknown][] {
  const rivals = (operation['x-dependencies'] ?? []).map((rule) => {
    const names = /^ZeroOrOne\((.*)\);$/.exec(rule)?.[1]?.split(', ') ?? [];
    const [, needing = '', needed = ''] = /^IF (.*) THEN (.*);$/.exec(rule) ?? [];
    const isLacking = [given[needed] ?? []].flat().length === 0;
    return [...names.filter((name) => given[name] !== undefined).slice(1), ...(isLacking ? [needing] : [])];
  });
  return Object.entries(given).filter(
    ([name, value]) => value !== undefined && !rivals.flat().includes(name),
  );
}

function searchOf(given: readonly [string, unknown][]): string {
  return new URLSearchParams(
    given.flatMap(([name, value]) =>
      isObject(value)
        ? Object.entries(value)
        : [value].flat().map((each): [string, string] => [name, String(each)]),
    ),
  ).toString();
}

function isObject(value: unknown): value is Record<string, string> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function valuesOf(document: OpenApiDocument): (schema: JsonSchema) => fc.Arbitrary<unknown> {
  const values = (schema: JsonSchema): fc.Arbitrary<unknown> => {
    if (typeof schema['$ref'] === 'string') {
      return values(document.components.schemas[schema['$ref'].split('/').at(-1) ?? ''] ?? {});
    }
    if (schema['anyOf'] !== undefined) {
      return fc.oneof(...(schema['anyOf'] as JsonSchema[]).map(values));
    }
    const listed = READABLE.flatMap((keyword) => (schema[keyword] as unknown[] | undefined) ?? []);
    if (listed.length > 0) {
      return fc.constantFrom(...listed);
    }
    const types = [schema['type']].flat() as string[];
    const made = fc.oneof(...types.map((type) => ofType(type, schema)));
    const forbidden = schema['not'];
    return forbidden === undefined ? made : made.filter((value) => ajv.validate({ not: forbidden }, value));
  };

  const ofType = (type: string, schema: JsonSchema): fc.Arbitrary<unknown> => {
    switch (type) {
      case 'null':
        return fc.constant(null);
      case 'boolean':
        return fc.boolean();
      case 'integer':
        return fc.integer({ min: Number(schema['minimum']), max: Number(schema['maximum']) });
      case 'string':
        return texts(schema);
      case 'array': {
        const [minLength, most] = [Number(schema['minItems'] ?? 0), Number(schema['maxItems'] ?? MOST_ITEMS)];
        return fc.array(values(schema['items'] as JsonSchema), {
          minLength,
          maxLength: Math.min(most, MOST_ITEMS),
        });
      }
      case 'object':
        return objects(schema);
      default:
        throw new Error(`a value of type ${type} cannot be made`);
    }
  };

  const objects = (schema: JsonSchema): fc.Arbitrary<unknown> => {
    const properties = Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>);
    const writable = properties.filter(([, property]) => property['readOnly'] !== true);
    const own = fc.record(Object.fromEntries(writable.map(([name, property]) => [name, values(property)])), {
      requiredKeys: (schema['required'] ?? []) as string[],
    });
    const names = texts({ ...(schema['propertyNames'] as JsonSchema), type: 'string' });
    const others = schema['additionalProperties'];
    if (isObject(others)) {
      return fc.dictionary(names, values(others), { maxKeys: Number(schema['maxProperties']) });
    }
    return others === true ? fc.dictionary(names, fc.jsonValue()) : own;
  };
  return values;
}

/** Any characters at all, as far as the schema has them. */
function texts(schema: JsonSchema): fc.Arbitrary<string> {
  const { format, pattern, minLength = 0, maxLength = 300 } = schema;
  const range = { minLength: Number(minLength), maxLength: Number(maxLength) };
  const matching = typeof pattern === 'string' ? new RegExp(pattern, 'u') : /^/;
  const made =
    format === 'date-time'
      ? instants
      : fc.oneof(
          ...(typeof pattern === 'string' ? [fc.stringMatching(matching)] : []),
          fc.string({ unit: 'binary', ...range }),
          fc.string({ unit: 'grapheme-ascii', ...range, size: 'max' }),
        );
  return made.filter(
    (text) =>
      matching.test(text) &&
      text.isWellFormed() &&
      [...text].length >= range.minLength &&
      [...text].length <= range.maxLength,
  );
}

const instants = fc
  .record({
    date: fc.oneof(
      fc.date({ min: new Date('0001-01-02'), max: new Date('9999-12-30'), noInvalidDate: true }),
      fc.constantFrom(new Date(0), new Date(1), new Date('0001-01-01T00:00:00Z')),
    ),
    digits: fc.constantFrom('', '.0', '.000', '.000001', '.123456789'),
    zone: fc.constantFrom('Z', 'z', '+00:00', '-00:00', '+14:00', '-11:30'),
  })
  .map(({ date, digits, zone }) => date.toISOString().slice(0, 19) + digits + zone);
