import { compileFormat, type Format } from './format.ts';

/**
 * Characters of sources whose formats are kept: as many as an organization can have, and several with ordinary ones.
 */
const MOST_CHARACTERS = 1_000_000;

/** By source, the one used last at the end. A format never changes, so that all who read by it share it. */
const compiled = new Map<string, Format>();
let characters = 0;

/**
 * {@link compileFormat} of a definition as it is stored. Formats used last are kept: who lists, tries or replays needs all of
 * an organization's each time.
 *
 * @throws FormatError, SyntaxError.
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
