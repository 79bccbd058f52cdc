import type { IncomingHttpHeaders } from 'node:http';
import { Problem } from './problem.ts';

export const JSON_TYPE = 'application/json';
export const MERGE_PATCH_TYPE = 'application/merge-patch+json';
export const CSV_TYPE = 'text/csv';
export const MULTIPART_TYPE = 'multipart/form-data';
/** Any image; its content decides whether its kind is accepted. */
export const IMAGE_TYPE = 'image/*';
/** Whatever a device sends, compressed or not. */
export const ANY_TYPE = '*/*';

export type BodyType =
  | typeof ANY_TYPE
  | typeof CSV_TYPE
  | typeof IMAGE_TYPE
  | typeof JSON_TYPE
  | typeof MERGE_PATCH_TYPE
  | typeof MULTIPART_TYPE;

/**
 * Refuses a body whose media type the operation does not take (contract 4.1). Media types are parsed: case, blanks and
 * quotes do not matter, a charset other than UTF-8 does.
 *
 * @throws Problem `unsupported_media_type`.
 */
export function requireMediaType(headers: IncomingHttpHeaders, expected: BodyType): void {
  if (expected === ANY_TYPE) {
    return;
  }
  if (!isUtf8(headers['content-type'] ?? '', expected)) {
    throw new Problem('unsupported_media_type', DETAIL[expected]);
  }
  if (contentEncoding(headers) !== 'identity') {
    throw new Problem('unsupported_media_type', 'Content-Encoding is not supported; send the body as it is');
  }
}

export function contentEncoding(headers: IncomingHttpHeaders): string {
  return headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
}

const DETAIL: Record<Exclude<BodyType, typeof ANY_TYPE>, string> = {
  [JSON_TYPE]: `Content-Type must be ${JSON_TYPE}`,
  [MERGE_PATCH_TYPE]: `Content-Type must be ${MERGE_PATCH_TYPE} on PATCH operations`,
  [CSV_TYPE]: `Content-Type must be ${CSV_TYPE}`,
  [MULTIPART_TYPE]: `Content-Type must be ${MULTIPART_TYPE}`,
  [IMAGE_TYPE]: 'Content-Type must be that of an image, such as image/png',
};

function isUtf8(header: string, expected: BodyType): boolean {
  const [type = '', ...parameters] = header.split(';');
  const given = type.trim().toLowerCase();
  if (expected === IMAGE_TYPE) {
    return given.startsWith('image/');
  }
  if (given !== expected) {
    return false;
  }
  return parameters.every((parameter) => {
    const [name = '', value = ''] = parameter.split('=', 2);
    return name.trim().toLowerCase() !== 'charset' || UTF_8.test(value.trim());
  });
}

const UTF_8 = /^(?:utf-8|"utf-8")$/i;
