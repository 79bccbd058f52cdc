import { hash, randomBytes } from 'node:crypto';

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** 256 random bits as a browser keeps them, of a session or a link. Only the digest is stored. */
export function newToken(): { token: string; digest: string } {
  const token = randomBytes(32).toString('base64url');
  return { token, digest: hash('sha256', token) };
}

/** SHA-256 in hexadecimal; null for what cannot be a token. */
export function digestOfToken(token: string): string | null {
  return TOKEN.test(token) ? hash('sha256', token) : null;
}
