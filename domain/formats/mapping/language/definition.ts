import { READING_KINDS, type ReadingKind } from '../../../tracking/reading-kind.ts';
import {
  either,
  integer,
  list,
  type ObjectOf,
  object,
  oneOf,
  oneOrList,
  optional,
  refer,
  type Shape,
  text,
  type ValueOf,
} from './shape.ts';

/**
 * The mapping language: plain data, with keys in the order in which people write them. Types and the JSON
 * Schema (`schema.ts`) derive from these declarations; `compileFormat` makes a definition run. Every list and
 * text is bounded: definitions come from users, and their cost grows with their length.
 */
export const DECODINGS = ['json', 'json-stream', 'lines', 'msgpack', 'cbor', 'text', 'bytes'] as const;
export type Decoding = (typeof DECODINGS)[number];

const PROTOBUF_TYPES = [
  ...['int32', 'int64', 'uint32', 'uint64', 'sint32', 'sint64', 'bool'],
  ...['fixed32', 'fixed64', 'sfixed32', 'sfixed64', 'float', 'double', 'string', 'bytes'],
] as const;
export type ProtobufType = (typeof PROTOBUF_TYPES)[number];

/** Identification of Bluetooth tags. `raw` is the payload's value unchanged. */
export const IDENTITIES = ['mac', 'ibeacon', 'eddystone', 'raw'] as const;
export type Identity = (typeof IDENTITIES)[number];

/** `device` uses the payload's time if it has one; `receive` always the time of reception. */
const TIME_POLICIES = ['device', 'receive'] as const;
export type TimePolicy = (typeof TIME_POLICIES)[number];

const REPORT_UNKNOWN = ['on', 'off'] as const;
export type ReportUnknown = (typeof REPORT_UNKNOWN)[number];

const PLAIN_TRANSFORMS = [
  'number',
  'hex',
  'base64-to-hex',
  'mac',
  'upper',
  'decimal-to-hex',
  'hex-to-decimal',
  'ibeacon',
  'eddystone',
  'rfc3339',
  'time',
  'code',
  'int8',
  'int16',
  'int32',
  'reverse-bytes',
] as const;
export type PlainTransform = (typeof PLAIN_TRANSFORMS)[number];

const EPOCH_UNITS = ['s', 'ms', 'us', 'ns', 'auto'] as const;
export type EpochUnit = (typeof EPOCH_UNITS)[number];

export type Scalar = string | number | boolean;
const scalar: Shape<Scalar> = { type: ['string', 'number', 'boolean'] };
const scalars: Shape<readonly Scalar[]> = list(scalar, 100);

const pointer = text({ maxLength: 500 });
const zone = text({ minLength: 1, maxLength: 60 });

/** A JSON Pointer into the item, the nearest objects around it, or the document; or a level of the topic. */
const place = {
  item: optional(pointer),
  parent: optional(pointer),
  /** The nearest object around the parent. */
  grandparent: optional(pointer),
  root: optional(pointer),
  /** Key or index of the item where `each` has `{}` or `*`: from 0 at the front, from -1 at the end. */
  key: optional(integer(-10, 9)),
  /** Level of the topic: from 0 at the front, from -1 at the end. */
  topic: optional(integer(-128, 127)),
};
export type PlaceDefinition = ObjectOf<typeof place>;
export const PLACES = Object.keys(place) as readonly (keyof typeof place)[];

const test = {
  /** True: something other than null. */
  exists: optional<boolean>({ type: 'boolean' }),
  in: optional(scalars),
  /** Equal to none of these; also true if missing. */
  not: optional(scalars),
};

const plainCondition = object({ ...place, ...test });
export type PlainCondition = ValueOf<typeof plainCondition>;
/** Alone with `any`: one of those is enough. */
const condition = object({
  any: optional(list(refer('plainCondition', plainCondition), 10)),
  ...place,
  ...test,
});
export type ConditionDefinition = ValueOf<typeof condition>;

const elementCondition = object({ element: pointer, ...test });
export type ElementConditionDefinition = ValueOf<typeof elementCondition>;

const parameterTransform = object({
  scale: optional<number>({ type: 'number', not: { const: 0 } }),
  /** Added to the number. */
  offset: optional<number>({ type: 'number' }),
  /** Start, counted from 0, and length, in UTF-16 units; below 0, how many to leave out at the end; without, up to the end. */
  substring: optional<readonly [number, number?]>({
    type: 'array',
    minItems: 1,
    maxItems: 2,
    prefixItems: [integer(0, 4096), integer(-4096, 4096)],
  }),
  'decimal-to-hex': optional(integer(1, 128)),
  'hex-to-decimal': optional(integer(1, 128)),
  epoch: optional(oneOf(EPOCH_UNITS)),
  /** The zone of a time without an offset. */
  rfc3339: optional(object({ zone })),
  date: optional(object({ pattern: text({ minLength: 1, maxLength: 100 }), zone: optional(zone) })),
});
export type ParameterTransform = ValueOf<typeof parameterTransform>;

/** A plain name, or an object of exactly one key. */
const transform = either(
  'object',
  { ...parameterTransform, minProperties: 1, maxProperties: 1 } as typeof parameterTransform,
  oneOf(PLAIN_TRANSFORMS),
);
export type TransformDefinition = ValueOf<typeof transform>;

const search = {
  /** For a pointer to an array: selects the first element for which all of these hold. */
  where: optional(list(refer('elementCondition', elementCondition), 10)),
  /** JSON Pointer into the selected element. */
  take: optional(pointer),
};
const source = { ...place, const: optional(scalar) };
const transforms = { transform: optional(list(refer('transform', transform), 10)) };

const part = object({ ...source, ...search, ...transforms });
export type PartDefinition = ValueOf<typeof part>;

const candidate = object({
  /** For `value`: considered only if tags are identified by this. */
  identity: optional(oneOf(IDENTITIES)),
  ...source,
  /** Texts and numbers to concatenate; all must be usable. */
  join: optional(list(refer('part', part), 10)),
  /** Separator of joined parts; empty by default. */
  with: optional(text({ maxLength: 10 })),
  ...search,
  if: optional(list(refer('condition', condition), 10)),
  ...transforms,
});
export type CandidateDefinition = ValueOf<typeof candidate>;

const candidates = list(refer('candidate', candidate), 20);
const readings = Object.fromEntries(READING_KINDS.map((kind) => [kind, optional(candidates)])) as Record<
  ReadingKind,
  ReturnType<typeof optional<ValueOf<typeof candidates>>>
>;
const fields = {
  tag_type: candidates,
  value: candidates,
  antenna: optional(candidates),
  rssi: optional(candidates),
  observed_at: optional(candidates),
  reader: optional(candidates),
  ...readings,
};
export type FieldsDefinition = ObjectOf<typeof fields>;
export type Field = keyof typeof fields;
export const FIELDS = Object.keys(fields) as readonly Field[];

const groups = object({ bytes: integer(1, 255), from: optional(integer(0, 65_535)) });
export type GroupsDefinition = ValueOf<typeof groups>;

const conditions = optional(list(refer('condition', condition), 20));
/**
 * JSON Pointers to the items, in which `*` stands for every element of an array and `{}` for every member of an object. The
 * first that matches wins, or all are used.
 */
const each = either('object', object({ all: list(pointer, 20) }), oneOrList(pointer, 10));
export type EachDefinition = ValueOf<typeof each>;

const rule = object({
  each,
  /** Separator that splits a text item into an array of fields. */
  split: optional(text({ minLength: 1, maxLength: 1 })),
  /** Cuts an item of hex digits into groups of this many bytes, each an item, from the byte `from` on. */
  groups: optional(groups),
  /** If one of these fails, the document or item it refers to is ignored. */
  only: conditions,
  /** An ignored item for which one of these holds is logged. */
  warn: conditions,
  fields: object(fields),
});
export type RuleDefinition = ValueOf<typeof rule>;

/** A field of a protobuf message: of a type, or with its own fields. */
export interface ProtobufFieldDefinition {
  readonly field: number;
  readonly name: string;
  readonly repeated?: boolean;
  readonly type?: ProtobufType;
  readonly fields?: readonly ProtobufFieldDefinition[];
}

const protobufField: Shape<ProtobufFieldDefinition> = object({
  field: integer(1, 536_870_911),
  name: text({ minLength: 1, maxLength: 63 }),
  repeated: optional<boolean>({ type: 'boolean' }),
  type: optional(oneOf(PROTOBUF_TYPES)),
  fields: optional(list<ProtobufFieldDefinition>({ $ref: '#/$defs/protobufField' }, 100)),
});

const protobuf = object({ protobuf: list(refer('protobufField', protobufField), 100) });
const decoding = either('object', protobuf, oneOf(DECODINGS));
export type DecodingDefinition = ValueOf<typeof decoding>;

export const FORMAT = object({
  name: text({ pattern: '^[a-z0-9][a-z0-9.-]{0,62}$' }),
  description: optional(text({ maxLength: 1000 })),
  /** Decodings of the payload; the first that succeeds is used. */
  decode: oneOrList(decoding, 5),
  /** Messages without reads, recognized before decoding. */
  ignore: optional(
    object({
      /** MQTT topic filters; `#` may also be at the front or in the middle. */
      topics: optional(list(text({ minLength: 1, maxLength: 500 }), 50)),
      /** Payloads that equal this text, apart from surrounding blanks. */
      texts: optional(list(text({ maxLength: 200 }), 50)),
    }),
  ),
  /** Conditions of every rule. */
  only: conditions,
  rules: list(refer('rule', rule), 10),
  policies: optional(
    object({
      identity: optional(oneOf(IDENTITIES)),
      time: optional(oneOf(TIME_POLICIES)),
      report_unknown: optional(oneOf(REPORT_UNKNOWN)),
    }),
  ),
});
export type FormatDefinition = ValueOf<typeof FORMAT>;

export const NAMED_SHAPES = {
  ...{ rule, condition, plainCondition, elementCondition, part, candidate, transform },
  protobufField,
};
