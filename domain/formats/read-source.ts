import { compileFormat, type Fault, type Format, FormatError } from './mapping/format.ts';

/**
 * The position of a fault in the text: line and column, from 1, of the pointer's target, or of where the JSON breaks
 * off.
 */
export interface PlacedFault extends Fault {
  line: number | null;
  column: number | null;
}

/** The format that somebody is writing, or its faults with their positions. */
export function readSource(source: string): Format | PlacedFault[] {
  let definition: unknown;
  try {
    definition = JSON.parse(source);
  } catch (error) {
    return [{ pointer: '', message: syntaxFault(error), ...placeOfSyntax(error, source) }];
  }
  try {
    return compileFormat(definition);
  } catch (error) {
    if (error instanceof FormatError) {
      return error.faults.map((fault) => ({ ...fault, ...placeOf(fault.pointer, source) }));
    }
    throw error;
  }
}

/** The part of a format that is stored. */
export type CheckedFormat = Pick<Format, 'name' | 'definition' | 'identities'>;

/** {@link readSource} for a worker thread: a long source takes tenths of a second. */
export function checkSource(source: string): CheckedFormat | PlacedFault[] {
  const read = readSource(source);
  if (Array.isArray(read)) {
    return read;
  }
  const { name, definition, identities } = read;
  return { name, definition, identities };
}

function syntaxFault(error: unknown): string {
  const { message } = error as SyntaxError;
  return `is not JSON: ${message.replace(/,? \.\.\..*$|,? ".*is not valid JSON$| in JSON at position.*$/s, '')}`;
}

function placeOfSyntax(error: unknown, source: string) {
  const [, line, column] = /line (\d+) column (\d+)/.exec((error as SyntaxError).message) ?? [];
  if (line !== undefined) {
    return { line: Number(line), column: Number(column) };
  }
  const [, position] = /position (\d+)/.exec((error as SyntaxError).message) ?? [];
  return position === undefined ? atOffset(source, source.length) : atOffset(source, Number(position));
}

/** Searches the text for the last name of the pointer that occurs in it: close enough. */
function placeOf(pointer: string, source: string): { line: number | null; column: number | null } {
  let offset = 0;
  let isFound = false;
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    const at = /^\d+$/.test(name) ? -1 : source.indexOf(`${JSON.stringify(name)}`, offset);
    if (at !== -1) {
      offset = at;
      isFound = true;
    }
  }
  return isFound ? atOffset(source, offset) : { line: null, column: null };
}

function atOffset(source: string, offset: number): { line: number; column: number } {
  const before = source.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
