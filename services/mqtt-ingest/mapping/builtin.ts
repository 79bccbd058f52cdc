import { readdirSync, readFileSync } from 'node:fs';
import { compileFormat, type Format } from './format.ts';

const FORMATS = new URL('../formats/', import.meta.url);

/**
 * The formats that come with tagtrail, by name. Reads and compiles every file of the formats folder, in some tens of
 * milliseconds: call it once, at start.
 *
 * @throws FormatError if one of them is not usable.
 */
export function loadBuiltinFormats(): ReadonlyMap<string, Format> {
  const files = readdirSync(FORMATS).filter((file) => file.endsWith('.json'));
  const formats = files.sort().map((file) => compileFormat(readJson(new URL(file, FORMATS))));
  return new Map(formats.map((format) => [format.name, format]));
}

function readJson(file: URL): unknown {
  return JSON.parse(readFileSync(file, 'utf8'));
}
