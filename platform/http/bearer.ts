import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { type Caller, Problem } from './problem.ts';

/**
 * The token of an `Authorization: Bearer` header.
 *
 * @throws Problem `unauthorized`, as contract 5 words it.
 */
export function bearerToken(headers: IncomingHttpHeaders): string {
  const { authorization } = headers;
  if (authorization === undefined) {
    const usedOtherHeader = headers['x-api-key'] !== undefined;
    throw unauthorized(
      usedOtherHeader ? 'Use Authorization: Bearer <token>' : 'Missing authorization header',
    );
  }
  const token = /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
  if (token === undefined) {
    throw unauthorized('Invalid authorization header format');
  }
  return token;
}

export function bearerOf({ headers }: IncomingMessage): string {
  return bearerToken(headers);
}

/**
 * A 401 with its challenge (RFC 9110 section 11.6.1).
 *
 * @param caller the owner of an expired or revoked credential.
 */
export function unauthorized(detail: string, caller?: Caller): Problem {
  const headers = { 'WWW-Authenticate': CHALLENGE };
  return new Problem('unauthorized', detail, caller === undefined ? { headers } : { headers, caller });
}

export const CHALLENGE = 'Bearer realm="tagtrail"';
