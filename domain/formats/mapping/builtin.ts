import { readdirSync, readFileSync } from 'node:fs';
import { compileShaped, type Format, type FormatDefinition } from './format.ts';

const FORMATS = new URL('../built-in/', import.meta.url);

/** Leaves out items that say a tag is gone, for every make. */
const SEEN = (['item', 'root'] as const).map((place) => ({
  [place]: '/event',
  not: ['TAG_REMOVED', 'away', 'departed'],
}));

let loaded: ReadonlyMap<string, Format> | undefined;

/**
 * The built-in formats by name, compiled once. A test checks their shape. Each gets the conditions of {@link SEEN}.
 *
 * @throws FormatError if one of them cannot be compiled.
 */
export function loadBuiltinFormats(): ReadonlyMap<string, Format> {
  loaded ??= compileBuiltinFormats();
  return loaded;
}

function compileBuiltinFormats(): ReadonlyMap<string, Format> {
  const files = readdirSync(FORMATS).filter((file) => file.endsWith('.json'));
  const formats = files.sort().map((file) => compileShaped(read(new URL(file, FORMATS))));
  return new Map(formats.map((format) => [format.name, format]));
}

function read(file: URL): FormatDefinition {
  const { rules, policies, ...head }: FormatDefinition = JSON.parse(readFileSync(file, 'utf8'));
  return {
    ...{ ...head, only: [...(head.only ?? []), ...SEEN], rules },
    ...(policies === undefined ? {} : { policies }),
  };
}
