import { createHash, randomBytes } from 'node:crypto';

export interface SecretsKey {
  /** Names the key beside encrypted data; reveals nothing of the key. */
  id: string;
  bytes: Buffer;
}

/** The first encrypts; the others, which it replaced, still decrypt. */
export type SecretsKeys = readonly [SecretsKey, ...SecretsKey[]];

/**
 * Reads SECRETS_KEY: 32 bytes in base64, or several with commas between, the one in use first.
 *
 * @returns undefined for anything else.
 */
export function parseSecretsKeys(text: string): SecretsKeys | undefined {
  const keys = text.split(',').map((part) => keyOf(part.trim()));
  const [first, ...others] = keys;
  return first === undefined || others.includes(undefined)
    ? undefined
    : [first, ...others.filter((key) => key !== undefined)];
}

function keyOf(text: string): SecretsKey | undefined {
  if (!/^[A-Za-z0-9+/]{43}=?$/.test(text)) {
    return undefined;
  }
  const bytes = Buffer.from(text, 'base64');
  // The last character has two bits too many; if they counted for nothing, several texts would be one key.
  if (bytes.toString('base64') !== text.padEnd(44, '=')) {
    return undefined;
  }
  return {
    id: createHash('sha256').update('tagtrail secrets key\n').update(bytes).digest('hex').slice(0, 16),
    bytes,
  };
}

export function newSecretsKey(): string {
  return randomBytes(32).toString('base64');
}
