import { badRequest } from '../../../platform/http/problem.ts';

/**
 * The boundary of a `multipart/form-data` header (RFC 2046 section 5.1.1).
 *
 * @throws Problem `bad_request` if there is none.
 */
export function boundaryOf(contentType: string): string {
  const [, quoted, plain] = PARAMETER.exec(contentType) ?? [];
  const boundary = quoted ?? plain ?? '';
  if (!BOUNDARY.test(boundary)) {
    throw badRequest('Content-Type must name the boundary of the parts');
  }
  return boundary;
}

const PARAMETER = /;\s*boundary\s*=\s*(?:"([^"]*)"|([^\s;"]+))/i;
const BOUNDARY = /^[A-Za-z0-9'()+_,\-./:=? ]{0,69}[A-Za-z0-9'()+_,\-./:=?]$/;
