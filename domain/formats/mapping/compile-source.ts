import { compileFormat, type Format } from './format.ts';

/**
 * Characters of sources whose formats are kept: as many as an organization can have, and several with ordinary ones.
 */
const MOST_CHARACTERS = 1_000_000;

/** By source, the last used at the end. Formats are immutable, so all who use one share it. */
const compiled = new Map<string, Format>();
let characters = 0;

/**
 * {@link compileFormat} of a stored definition. Recently used formats are kept: listing, trying and replaying need all
 * of an organization's each time.
 */
export function compileSource(source: string): Format {
  const known = compiled.get(source);
  if (known !== undefined) {
    compiled.delete(source);
    compiled.set(source, known);
    return known;
  }
  const format = compileFormat(JSON.parse(source));
  compiled.set(source, format);
  characters += source.length;
  for (const [oldest] of compiled) {
    if (characters <= MOST_CHARACTERS) {
      break;
    }
    compiled.delete(oldest);
    characters -= oldest.length;
  }
  return format;
}
