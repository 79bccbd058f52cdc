import { badRequest } from '../../../platform/http/problem.ts';

/**
 * The field's name from a part's header (RFC 7578 section 4.2).
 *
 * @param header its lines, without the empty one.
 * @throws Problem `bad_request` if they are no header, or name no field.
 */
export function partName(header: readonly Buffer[]): string {
  const fields = header.map((line) => HEADER_FIELD.exec(decode(line)));
  if (fields.includes(null)) {
    throw badRequest('A part of the form has a malformed header');
  }
  const disposition = fields.find((field) => field?.[1]?.toLowerCase() === 'content-disposition')?.[2] ?? '';
  const parameters = /^form-data(?=\s*;)/i.test(disposition) ? [...disposition.matchAll(PARAMETER)] : [];
  const [, , quoted, plain] = parameters.find(([, name]) => name?.toLowerCase() === 'name') ?? [];
  if (quoted === undefined && plain === undefined) {
    throw badRequest('A part of the form does not name its field');
  }
  return quoted?.replaceAll(ESCAPED, (_, char = '"') => char) ?? plain ?? '';
}

const HEADER_FIELD = /^([\w!#$%&'*+.^`|~-]+):[ \t]*(.*)$/;
const PARAMETER = /;\s*([^\s=;"]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/g;
/** Browsers write `%22` for a quotation mark, mail programs precede it with a backslash. */
const ESCAPED = /\\(["\\])|%22/g;

function decode(line: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(line);
  } catch {
    throw badRequest('A part of the form has a header that is not UTF-8');
  }
}
