import { setImmediate } from 'node:timers/promises';
import { stringify } from 'yaml';
import type { OpenApiDocument } from '../../../platform/description/openapi.ts';

/**
 * Converts the document to YAML path by path, yielding in between: in one go the first time takes some 90 ms. YAML 1.1,
 * which many readers still use, would take an unquoted timestamp for a date, and `no` for false.
 */
export async function asYaml({ paths, ...rest }: OpenApiDocument): Promise<string> {
  let text = `${write(rest)}paths:\n`;
  for (const [path, item] of Object.entries(paths)) {
    await setImmediate();
    text += write({ paths: { [path]: item } }).slice('paths:\n'.length);
  }
  return text;
}

function write(value: object): string {
  return stringify(value, { aliasDuplicateObjects: false, compat: 'yaml-1.1' });
}
