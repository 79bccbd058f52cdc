import type { Compilation } from '../language/compilation.ts';
import type { ParameterTransform, PlainTransform, TransformDefinition } from '../language/definition.ts';
import { toNumber } from '../values/long-number.ts';
import { eddystoneUid, ibeacon } from './beacon.ts';
import { decimalToHex, hexToDecimal, scale } from './number.ts';
import { base64ToHex, hex, mac, substring, upper } from './text.ts';
import { compileDatePattern } from './time/date-pattern.ts';
import { compileEpoch } from './time/epoch.ts';
import { compileRfc3339, rfc3339 } from './time/rfc3339.ts';

/** Converts a value; undefined if it cannot, and then the next candidate is tried. Never throws. */
export type Transform = (value: unknown) => string | number | undefined;

const PLAIN: Readonly<Record<PlainTransform, Transform>> = {
  number: toNumber,
  hex,
  'base64-to-hex': base64ToHex,
  mac,
  upper,
  'decimal-to-hex': decimalToHex(0),
  'hex-to-decimal': hexToDecimal(0),
  ibeacon,
  eddystone: eddystoneUid,
  rfc3339,
};

export function compileTransforms(
  definitions: readonly TransformDefinition[] | undefined,
  at: string,
  compilation: Compilation,
): Transform | undefined {
  const [first, ...more] = (definitions ?? []).map((definition, index) =>
    typeof definition === 'string'
      ? PLAIN[definition]
      : compileParameterTransform(definition, `${at}/${index}`, compilation),
  );
  if (first === undefined || more.length === 0) {
    return first;
  }
  return (value) => {
    let result = first(value);
    for (const transform of more) {
      if (result === undefined) {
        return undefined;
      }
      result = transform(result);
    }
    return result;
  };
}

/** True if the result is an instant in microseconds. */
export function isTimeTransform(definition: TransformDefinition | undefined): boolean {
  return (
    definition === 'rfc3339' ||
    (typeof definition === 'object' &&
      ('rfc3339' in definition || 'epoch' in definition || 'date' in definition))
  );
}

function compileParameterTransform(
  definition: ParameterTransform,
  at: string,
  compilation: Compilation,
): Transform {
  if (definition.scale !== undefined) {
    return scale(definition.scale);
  }
  if (definition.substring !== undefined) {
    return substring(...definition.substring);
  }
  if (definition['decimal-to-hex'] !== undefined) {
    return decimalToHex(definition['decimal-to-hex']);
  }
  if (definition['hex-to-decimal'] !== undefined) {
    return hexToDecimal(definition['hex-to-decimal']);
  }
  if (definition.epoch !== undefined) {
    return compileEpoch(definition.epoch);
  }
  if (definition.rfc3339 !== undefined) {
    return compileRfc3339(definition.rfc3339.zone, `${at}/rfc3339`, compilation);
  }
  return compileDatePattern(definition.date ?? { pattern: '' }, `${at}/date`, compilation);
}
