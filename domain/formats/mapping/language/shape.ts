declare const VALUE: unique symbol;

export interface Shape<Value> {
  readonly [keyword: string]: unknown;
  readonly [VALUE]?: Value;
}

export type ValueOf<S> = S extends { readonly [VALUE]?: infer Value } ? Value : never;

export class Optional<Value> {
  readonly shape: Shape<Value>;

  constructor(shape: Shape<Value>) {
    this.shape = shape;
  }
}

export function optional<Value>(shape: Shape<Value>): Optional<Value> {
  return new Optional(shape);
}

type Members = Readonly<Record<string, Shape<unknown> | Optional<unknown>>>;
type OptionalName<M extends Members> = {
  [K in keyof M]: M[K] extends Optional<unknown> ? K : never;
}[keyof M];

export type ObjectOf<M extends Members> = {
  readonly [K in keyof M as K extends OptionalName<M> ? never : K]: ValueOf<M[K]>;
} & {
  readonly [K in keyof M as K extends OptionalName<M> ? K : never]?: M[K] extends Optional<infer Value>
    ? Value
    : never;
};

/** Refuses unknown keys, so that a misspelt one is named. */
export function object<const M extends Members>(members: M): Shape<ObjectOf<M>> {
  const entries = Object.entries(members);
  const properties = entries.map(([name, each]) => [name, each instanceof Optional ? each.shape : each]);
  const required = entries.flatMap(([name, each]) => (each instanceof Optional ? [] : [name]));
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required,
    additionalProperties: false,
  };
}

export function text(bounds: { minLength?: number; maxLength?: number; pattern?: string }): Shape<string> {
  return { type: 'string', ...bounds };
}

export function integer(minimum: number, maximum: number): Shape<number> {
  return { type: 'integer', minimum, maximum };
}

export function oneOf<const Value>(values: readonly Value[]): Shape<Value> {
  return { enum: values };
}

export function list<Value>(items: Shape<Value>, maxItems: number): Shape<readonly Value[]> {
  return { type: 'array', minItems: 1, maxItems, items };
}

export function oneOrList<Value>(items: Shape<Value>, maxItems: number): Shape<Value | readonly Value[]> {
  return either('array', list(items, maxItems), items);
}

/** Unlike `anyOf`, this reports the faults of the intended alternative only. */
export function either<A, B>(type: string, whenSo: Shape<A>, otherwise: Shape<B>): Shape<A | B> {
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema; nothing awaits a schema
  return { if: { type }, then: whenSo, else: otherwise };
}

export function refer<Value>(name: string, _to: Shape<Value>): Shape<Value> {
  return { $ref: `#/$defs/${name}` };
}
