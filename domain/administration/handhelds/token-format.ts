import { createHash, randomBytes } from 'node:crypto';

/** A token as the handheld has it: `th_<id>_<43-character secret>`, the secret 256 random bits. */
export interface PlainToken {
  handheldId: number;
  secret: string;
}

/** Largest PostgreSQL `integer`. */
const MAX_ID = 2_147_483_647;

const TOKEN = /^th_([1-9]\d{0,9})_([A-Za-z0-9_-]{43})$/;

export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

export function formatToken({ handheldId, secret }: PlainToken): string {
  return `th_${handheldId}_${secret}`;
}

export function parseToken(text: string): PlainToken | null {
  const [, id, secret] = TOKEN.exec(text) ?? [];
  const handheldId = Number(id);
  return secret === undefined || handheldId > MAX_ID ? null : { handheldId, secret };
}

/** SHA-256; secrets themselves are never stored. */
export function digestOfSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/**
 * Address of the handhelds' app that signs in with a token. The token stands in the fragment, which browsers send to
 * nobody, so that it reaches no log and no proxy.
 *
 * @param app where the app is served.
 */
export function signInAddress(app: string, token: string): string {
  return new URL(`/#sign-in/${token}`, app).href;
}
