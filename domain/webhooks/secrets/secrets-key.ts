import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { AppError } from '../../../base/errors.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';

/** A secret as it is stored: AES-256-GCM. */
export interface SealedSecret {
  keyId: string;
  /** 12 bytes nonce, 16 bytes tag, then the ciphertext. */
  sealed: Buffer;
}

/** The owner of a secret, bound to the ciphertext: a row copied to another webhook does not decrypt. */
export interface SecretOwner {
  orgId: number;
  webhookId: number;
}

const NONCE = 12;

const TAG = 16;

/** SECRETS_KEY lacks the key that a secret was encrypted with. */
export class WrongSecretsKey extends AppError {
  constructor(webhookId: number, keyId: string) {
    super(
      'misconfigured',
      `The secret of webhook ${webhookId} was encrypted with another SECRETS_KEY (${keyId}); add that key to SECRETS_KEY after a comma, or make a new secret: ${TAGTRAIL} webhook set --webhook ${webhookId} --rotate-secret --drop-old-secret`,
    );
  }
}

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
  // The last character has two unused bits; if they were ignored, several texts would be the same key.
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

export function sealSecret([key]: SecretsKeys, owner: SecretOwner, secret: Buffer): SealedSecret {
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv('aes-256-gcm', key.bytes, nonce).setAAD(boundTo(owner));
  const ciphertext = Buffer.concat([cipher.update(secret), cipher.final()]);
  return { keyId: key.id, sealed: Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]) };
}

/** @throws WrongSecretsKey, also if it was tampered with. */
export function openSecret(keys: SecretsKeys, owner: SecretOwner, { keyId, sealed }: SealedSecret): Buffer {
  const key = keys.find(({ id }) => id === keyId);
  if (key === undefined) {
    throw new WrongSecretsKey(owner.webhookId, keyId);
  }
  try {
    const decipher = createDecipheriv('aes-256-gcm', key.bytes, sealed.subarray(0, NONCE), {
      authTagLength: TAG,
    })
      .setAAD(boundTo(owner))
      .setAuthTag(sealed.subarray(NONCE, NONCE + TAG));
    return Buffer.concat([decipher.update(sealed.subarray(NONCE + TAG)), decipher.final()]);
  } catch {
    throw new WrongSecretsKey(owner.webhookId, keyId);
  }
}

function boundTo({ orgId, webhookId }: SecretOwner): Buffer {
  return Buffer.from(`webhook ${orgId}/${webhookId}`);
}
