import type { JsonSchema } from './fields.ts';
import type { Pair } from './issues.ts';

export function oneOfEach(pairs: readonly Pair[]): JsonSchema {
  return never(
    pairs.map((pair) => ({ required: pair, properties: Object.fromEntries(pair.map((key) => [key, {}])) })),
  );
}

/** Refuses null on one key of a pair with a value on the other. */
export function agreeing(pairs: readonly Pair[]): JsonSchema {
  return never(
    pairs.flatMap(([one, other]) => [
      contradiction({ empty: one, filled: other }),
      contradiction({ empty: other, filled: one }),
    ]),
  );
}

function contradiction({ empty, filled }: { empty: string; filled: string }): JsonSchema {
  return {
    required: [empty, filled],
    properties: { [empty]: { type: 'null' }, [filled]: { not: { type: 'null' } } },
  };
}

function never(schemas: readonly JsonSchema[]): JsonSchema {
  return schemas.length === 0 ? {} : { not: schemas.length === 1 ? schemas[0] : { anyOf: schemas } };
}
