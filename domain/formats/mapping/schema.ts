import {
  DECODINGS,
  EPOCH_UNITS,
  FIELDS,
  IDENTITIES,
  PLAIN_TRANSFORMS,
  REPORT_UNKNOWN,
  TIME_POLICIES,
} from './language/definition.ts';

// Every list and text is bounded: a definition comes from a user, and what it costs to run grows with its length.
const pointer = { type: 'string', maxLength: 500 };
const scalars = {
  type: 'array',
  minItems: 1,
  maxItems: 100,
  items: { type: ['string', 'number', 'boolean'] },
};
const places = {
  item: pointer,
  parent: pointer,
  root: pointer,
  topic: { type: 'integer', minimum: -128, maximum: 127 },
};
const tests = { exists: { type: 'boolean' }, in: scalars, not: scalars };
const part = {
  ...places,
  const: { type: ['string', 'number', 'boolean'] },
  where: list({ $ref: '#/$defs/elementCondition' }, 10),
  take: pointer,
  transform: list({ $ref: '#/$defs/transform' }, 10),
};
const zone = { type: 'string', minLength: 1, maxLength: 60 };

/** The JSON Schema of a format definition. Unknown keys are refused everywhere, so that a misspelt one is named. */
export const FORMAT_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'tagtrail format definition',
  ...object(
    {
      name: { type: 'string', pattern: '^[a-z0-9][a-z0-9.-]{0,62}$' },
      description: { type: 'string', maxLength: 1000 },
      decode: oneOrList({ enum: DECODINGS }, 5),
      ignore: object({
        topics: list({ type: 'string', minLength: 1, maxLength: 500 }, 50),
        texts: list({ type: 'string', maxLength: 200 }, 50),
      }),
      rules: list({ $ref: '#/$defs/rule' }, 10),
      policies: object({
        identity: { enum: IDENTITIES },
        time: { enum: TIME_POLICIES },
        report_unknown: { enum: REPORT_UNKNOWN },
      }),
    },
    ['name', 'decode', 'rules'],
  ),
  $defs: {
    rule: object(
      {
        each: oneOrList(pointer, 10),
        split: { type: 'string', minLength: 1, maxLength: 1 },
        only: list({ $ref: '#/$defs/condition' }, 20),
        warn: list({ $ref: '#/$defs/condition' }, 20),
        fields: object(
          Object.fromEntries(FIELDS.map((field) => [field, list({ $ref: '#/$defs/candidate' }, 20)])),
          ['tag_type', 'value'],
        ),
      },
      ['each', 'fields'],
    ),
    condition: object({ ...places, ...tests }),
    elementCondition: object({ element: pointer, ...tests }, ['element']),
    part: object(part),
    candidate: object({
      ...part,
      join: list({ $ref: '#/$defs/part' }, 10),
      with: { type: 'string', maxLength: 10 },
      if: list({ $ref: '#/$defs/condition' }, 10),
      identity: { enum: IDENTITIES },
    }),
    transform: either(
      'object',
      {
        ...object({
          scale: { type: 'number', not: { const: 0 } },
          substring: {
            type: 'array',
            minItems: 2,
            maxItems: 2,
            items: { type: 'integer', minimum: 0, maximum: 4096 },
          },
          'decimal-to-hex': { type: 'integer', minimum: 1, maximum: 128 },
          'hex-to-decimal': { type: 'integer', minimum: 1, maximum: 128 },
          epoch: { enum: EPOCH_UNITS },
          rfc3339: object({ zone }, ['zone']),
          date: object({ pattern: { type: 'string', minLength: 1, maxLength: 100 }, zone }, ['pattern']),
        }),
        minProperties: 1,
        maxProperties: 1,
      },
      { enum: PLAIN_TRANSFORMS },
    ),
  },
} as const;

function object(properties: Record<string, unknown>, required: readonly string[] = []) {
  return { type: 'object', properties, required, additionalProperties: false };
}

function list(items: unknown, maxItems: number) {
  return { type: 'array', minItems: 1, maxItems, items };
}

function oneOrList(items: unknown, maxItems: number) {
  return either('array', list(items, maxItems), items);
}

/** Unlike `anyOf`, this names the faults of the one alternative that was meant. */
function either(type: string, whenSo: unknown, otherwise: unknown) {
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema; nothing awaits a schema
  return { if: { type }, then: whenSo, else: otherwise };
}
