import { createRequire } from 'node:module';
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import type { FormatDefinition } from './language/definition.ts';
import { type Fault, FormatError } from './language/fault.ts';
import { FORMAT_SCHEMA } from './schema.ts';

let compiled: ValidateFunction<FormatDefinition> | undefined;

/**
 * Validates a definition against the JSON Schema.
 *
 * @throws FormatError naming every fault with its place.
 */
export function validateShape(definition: unknown): FormatDefinition {
  compiled ??= compile();
  if (compiled(definition)) {
    return definition;
  }
  const faults = (compiled.errors ?? []).filter((error) => error.keyword !== 'if').map(faultOf);
  throw new FormatError(faults);
}

/**
 * Called once, and only in processes with custom formats: loading the compiler takes 10 MB and 30 ms, and the schema
 * tens of milliseconds.
 */
function compile(): ValidateFunction<FormatDefinition> {
  const { Ajv2020 }: typeof import('ajv/dist/2020.js') = createRequire(import.meta.url)('ajv/dist/2020.js');
  return new Ajv2020({ allErrors: true, strictTypes: false, strictTuples: false, verbose: true }).compile(
    FORMAT_SCHEMA,
  );
}

function faultOf(error: ErrorObject): Fault {
  const pointer = error.instancePath;
  switch (error.keyword) {
    case 'additionalProperties':
      return {
        pointer,
        message: `has the unknown key ${JSON.stringify(error.params['additionalProperty'])}; ${keysOf(error)}`,
      };
    case 'required':
      return { pointer, message: `lacks ${JSON.stringify(error.params['missingProperty'])}` };
    case 'pattern':
      return {
        pointer,
        message: 'must be 1 to 63 lower-case letters, digits, dots and hyphens, the first a letter or digit',
      };
    case 'enum':
      return { pointer, message: `must be one of ${error.params['allowedValues'].join(', ')}` };
    default:
      return { pointer, message: error.message ?? 'does not follow the language' };
  }
}

function keysOf({ parentSchema }: ErrorObject): string {
  return `there may be ${Object.keys(parentSchema?.['properties'] ?? {}).join(', ')}`;
}
