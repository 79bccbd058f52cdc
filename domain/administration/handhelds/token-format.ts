import { createHash, randomBytes } from 'node:crypto';

/** A token as a handheld has it: `th_<id>_<43-character secret>`, the secret 256 random bits. */
export interface PlainToken {
  handheldId: number;
  secret: string;
}

/** Of a handheld, as PostgreSQL counts an `integer`. */
const MAX_ID = 2_147_483_647;

const TOKEN = /^th_([1-9]\d{0,9})_([A-Za-z0-9_-]{43})$/;

export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

export function formatToken({ handheldId, secret }: PlainToken): string {
  return `th_${handheldId}_${secret}`;
}

/** Null if the text is no token. */
export function parseToken(text: string): PlainToken | null {
  const [, id, secret] = TOKEN.exec(text) ?? [];
  const handheldId = Number(id);
  return secret === undefined || handheldId > MAX_ID ? null : { handheldId, secret };
}

/** What is stored of a secret. */
export function digestOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
