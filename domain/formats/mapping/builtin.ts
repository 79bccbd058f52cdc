import { readdirSync, readFileSync } from 'node:fs';
import { compileShaped, type Format, type FormatDefinition } from './format.ts';

const FORMATS = new URL('../built-in/', import.meta.url);

/**
 * The built-in formats by name. Reads and compiles every file of the formats folder, which takes some
 * milliseconds: call it once, at start. A test checks their shape.
 *
 * @throws FormatError if one of them cannot be compiled.
 */
export function loadBuiltinFormats(): ReadonlyMap<string, Format> {
  const files = readdirSync(FORMATS).filter((file) => file.endsWith('.json'));
  const formats = files.sort().map((file) => compileShaped(readJson(new URL(file, FORMATS))));
  return new Map(formats.map((format) => [format.name, format]));
}

function readJson(file: URL): FormatDefinition {
  return JSON.parse(readFileSync(file, 'utf8'));
}
