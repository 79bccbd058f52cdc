/**
 * A format definition as it is written: plain data, in the words of the mapping language. The JSON Schema beside
 * this file says the same to a machine; `compileFormat` makes it run.
 */
export interface FormatDefinition {
  readonly name: string;
  readonly description?: string;
  /** How bytes become documents. Of several, the first that can decode the payload is used. */
  readonly decode: Decoding | readonly Decoding[];
  /** Whole messages that hold no reads, told before decoding. */
  readonly ignore?: {
    /** MQTT topic filters; `#` may also stand in front or in the middle. */
    readonly topics?: readonly string[];
    /** Payloads that are exactly this text, blanks around it aside. */
    readonly texts?: readonly string[];
  };
  readonly rules: readonly RuleDefinition[];
  readonly policies?: {
    readonly identity?: Identity;
    readonly time?: TimePolicy;
    readonly report_unknown?: ReportUnknown;
  };
}

export const DECODINGS = ['json', 'json-stream', 'lines', 'msgpack', 'text'] as const;
export type Decoding = (typeof DECODINGS)[number];

/** By what a Bluetooth tag is known. `raw` is what the payload says, as it says it. */
export const IDENTITIES = ['mac', 'ibeacon', 'eddystone', 'raw'] as const;
export type Identity = (typeof IDENTITIES)[number];

/** Whose clock counts: the device's where the payload has a time, or always that of the receipt. */
export const TIME_POLICIES = ['device', 'receive'] as const;
export type TimePolicy = (typeof TIME_POLICIES)[number];

export const REPORT_UNKNOWN = ['on', 'off'] as const;
export type ReportUnknown = (typeof REPORT_UNKNOWN)[number];

export interface RuleDefinition {
  /** Where the items are: JSON Pointers in which `*` stands for every element of an array; the first that matches wins. */
  readonly each: string | readonly string[];
  /** An item that is text becomes the array of its fields, separated by this character. */
  readonly split?: string;
  /** All must hold, or what they speak of (the document or the item) is ignored. */
  readonly only?: readonly ConditionDefinition[];
  /** An ignored item for which one of these holds deserves a line in the log. */
  readonly warn?: readonly ConditionDefinition[];
  readonly fields: FieldsDefinition;
}

export interface FieldsDefinition {
  readonly tag_type: readonly CandidateDefinition[];
  readonly value: readonly CandidateDefinition[];
  readonly antenna?: readonly CandidateDefinition[];
  readonly rssi?: readonly CandidateDefinition[];
  readonly observed_at?: readonly CandidateDefinition[];
  readonly reader?: readonly CandidateDefinition[];
}

export const FIELDS = ['tag_type', 'value', 'antenna', 'rssi', 'observed_at', 'reader'] as const;
export type Field = (typeof FIELDS)[number];

export type Scalar = string | number | boolean;

/** Exactly one place and exactly one test. */
export interface ConditionDefinition extends PlaceDefinition {
  /** Whether there is something other than null. */
  readonly exists?: boolean;
  /** It is one of these. */
  readonly in?: readonly Scalar[];
  /** It is none of these; what does not exist is none of them. */
  readonly not?: readonly Scalar[];
}

/** A JSON Pointer into the item, the nearest object around it, or the document; or a level of the topic. */
export interface PlaceDefinition {
  readonly item?: string;
  readonly parent?: string;
  readonly root?: string;
  /** Level of the topic: from 0 at the front, from -1 at the end. */
  readonly topic?: number;
}

/** A condition on an element of an array. */
export interface ElementConditionDefinition {
  readonly element: string;
  readonly exists?: boolean;
  readonly in?: readonly Scalar[];
  readonly not?: readonly Scalar[];
}

/** One part of a joined text: a place or a constant, and transforms. */
export interface PartDefinition extends PlaceDefinition {
  readonly const?: Scalar;
  /** With a pointer to an array: its first element for which all of these hold ... */
  readonly where?: readonly ElementConditionDefinition[];
  /** ... and what to take of that element, as a JSON Pointer into it. */
  readonly take?: string;
  readonly transform?: readonly TransformDefinition[];
}

/** Exactly one source (a place, a constant, or parts to join), then transforms. */
export interface CandidateDefinition extends PartDefinition {
  /** Texts and numbers to put one after the other; all must be usable. */
  readonly join?: readonly PartDefinition[];
  /** What stands between the joined parts; nothing unless given. */
  readonly with?: string;
  /** Considered only if all of these hold. */
  readonly if?: readonly ConditionDefinition[];
  /** Of `value`: considered only if tags are to be known by this. */
  readonly identity?: Identity;
}

export const PLAIN_TRANSFORMS = [
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
] as const;
export type PlainTransform = (typeof PLAIN_TRANSFORMS)[number];

export const EPOCH_UNITS = ['s', 'ms', 'us', 'ns', 'auto'] as const;
export type EpochUnit = (typeof EPOCH_UNITS)[number];

/** A plain name, or an object of exactly one key. */
export type TransformDefinition = PlainTransform | ParameterTransform;

export interface ParameterTransform {
  readonly scale?: number;
  /** Start, counted from 0, and length, in UTF-16 units. */
  readonly substring?: readonly [number, number];
  /** To this many hex digits. */
  readonly 'decimal-to-hex'?: number;
  /** To this many decimal digits. */
  readonly 'hex-to-decimal'?: number;
  readonly epoch?: EpochUnit;
  /** For a time without an offset, the zone it is meant in. */
  readonly rfc3339?: { readonly zone: string };
  readonly date?: { readonly pattern: string; readonly zone?: string };
}
