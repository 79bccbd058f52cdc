import { hash, randomBytes } from 'node:crypto';
import { ulid } from 'ulid';

/**
 * A key as its holder sees it: `tt_<26-character id>_<43-character secret>`, the secret 256 random bits. Keys of cells
 * with a number above 1 begin with `tt2_`, so that a router knows where to send them.
 */
export interface PlainKey {
  id: string;
  secret: string;
}

const KEY = /^tt(?:[1-9]\d?)?_([0-9A-HJKMNP-TV-Z]{26})_([A-Za-z0-9_-]{43})$/;

export const KEY_ID = /^[0-9A-HJKMNP-TV-Z]{26}$/;

export function newKey(): PlainKey {
  return { id: ulid(), secret: randomBytes(32).toString('base64url') };
}

/** @param cell null if the installation has no number. */
export function formatKey({ id, secret }: PlainKey, cell: number | null): string {
  return `tt${cell === null || cell === 1 ? '' : cell}_${id}_${secret}`;
}

export function parseKey(text: string): PlainKey | null {
  const [, id, secret] = KEY.exec(text) ?? [];
  return id === undefined || secret === undefined ? null : { id, secret };
}

/** SHA-256; secrets themselves are never stored. */
export function digestOfSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}
