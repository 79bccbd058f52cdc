import { createHmac, type KeyObject, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';

/** 24 to 64 are allowed; as many as the digest has. */
const BYTES = 32;

export function newSigningSecret(): Buffer {
  return randomBytes(BYTES);
}

/** As receivers are given it (Standard Webhooks): `whsec_…`. */
export function shownSecret(secret: Buffer): string {
  return PREFIX + secret.toString('base64');
}

/** The signed content: an event's id, the seconds since 1970 at sending, and the body. */
export interface Signed {
  id: string;
  timestamp: number;
  body: string;
}

/** The header `webhook-signature`: one signature for each valid secret, the newest first. */
export function signatureOf(secrets: readonly KeyObject[], { id, timestamp, body }: Signed): string {
  return secrets
    .map(
      (secret) => `v1,${createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64')}`,
    )
    .join(' ');
}
