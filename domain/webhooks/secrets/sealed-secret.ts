import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { AppError } from '../../../base/errors.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import type { SecretsKeys } from './secrets-key.ts';

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

export function sealSecret([key]: SecretsKeys, owner: SecretOwner, secret: Buffer): SealedSecret {
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv('aes-256-gcm', key.bytes, nonce).setAAD(boundTo(owner));
  const ciphertext = Buffer.concat([cipher.update(secret), cipher.final()]);
  return { keyId: key.id, sealed: Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]) };
}

/** SECRETS_KEY lacks the key that a secret was encrypted with. */
export class WrongSecretsKey extends AppError {
  constructor(webhookId: number, keyId: string) {
    super(
      'misconfigured',
      `The secret of webhook ${webhookId} was encrypted with another SECRETS_KEY (${keyId}); add that key to SECRETS_KEY after a comma, or make a new secret: ${TAGTRAIL} webhook set --webhook ${webhookId} --rotate-secret --drop-old-secret`,
    );
  }
}

/** @throws WrongSecretsKey also if it was tampered with. */
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
