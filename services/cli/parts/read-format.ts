import { messageOf } from '../../../base/errors.ts';
import { findStoredDefinition } from '../../../domain/administration/formats/find-format.ts';
import { loadBuiltinFormats } from '../../../domain/formats/mapping/builtin.ts';
import { compileFormat, type Format, FormatError } from '../../../domain/formats/mapping/format.ts';
import { withConnections } from '../connections/database.ts';
import { FileFault } from '../files/file-fault.ts';
import { readFileOrStdin } from '../files/read-file.ts';

const MAX_BYTES = 1_048_576;

/**
 * Compiles a format from a file.
 *
 * @throws FileFault naming the file and every fault with its place.
 */
export async function readFormatFile(path: string): Promise<Format> {
  const text = (await readFileOrStdin(path, 'The format', MAX_BYTES)).toString('utf8');
  let definition: unknown;
  try {
    definition = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    throw new FileFault(`${path} is not JSON: ${messageOf(error)}`);
  }
  try {
    return compileFormat(definition);
  } catch (error) {
    if (!(error instanceof FormatError)) {
      throw error;
    }
    const places = error.faults.map(({ pointer, message }) => `  ${pointer || '(the whole)'} ${message}`);
    throw new FileFault(`${path} is not a usable format:\n${places.join('\n')}\n${HINT}`);
  }
}

const HINT =
  'The language is explained in domain/formats/built-in/README.md; `format show` prints formats to copy.';

/** The definition of a format by name; built-in ones need no database. @throws AppError `not_found`. */
export async function definitionOf(name: string): Promise<unknown> {
  const builtin = loadBuiltinFormats();
  return (
    builtin.get(name)?.definition ??
    (await withConnections(({ pool }) => findStoredDefinition(pool, builtin, name)))
  );
}
