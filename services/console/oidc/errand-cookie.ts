import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Errand } from './provider.ts';

/** Seconds for signing in at the provider. */
const LASTS = 600;

/**
 * Keeps an errand in the browser that is on it, so that any process can finish it, and no other browser: a link with the
 * answer for somebody else signs nobody in. SameSite=Lax, because the browser comes from the provider's site.
 *
 * It is signed, so that an errand stands for a departure that was counted: made-up ones would have the provider asked as often
 * as somebody likes.
 */
export class ErrandCookie {
  readonly #name: string;
  readonly #attributes: string;
  readonly #key: Buffer;

  /** @param clientSecret shared by all console processes, and known only to the provider besides. */
  constructor(clientSecret: string, isSecure: boolean) {
    this.#name = isSecure ? '__Host-tagtrail_errand' : 'tagtrail_errand';
    this.#attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
    this.#key = Buffer.from(hkdfSync('sha256', clientSecret, '', 'tagtrail errand', 32));
  }

  /** Null if there is none that was set here within {@link LASTS}. */
  read({ headers: { cookie = '' } }: IncomingMessage): Errand | null {
    const prefix = `${this.#name}=`;
    const pairs = cookie.split(';').map((pair) => pair.trim());
    const value = pairs.find((pair) => pair.startsWith(prefix))?.slice(prefix.length) ?? '';
    const [state, nonce, verifier, until, signature, more] = value.split('.', 6);
    if (!state || !nonce || !verifier || !until || !signature || more !== undefined) {
      return null;
    }
    const isOurs = isSame(signature, this.#signatureOf(`${state}.${nonce}.${verifier}.${until}`));
    return isOurs && Date.now() < Number(until) * 1_000 ? { state, nonce, verifier } : null;
  }

  /** All three are base64url. */
  set({ state, nonce, verifier }: Errand): string {
    const value = `${state}.${nonce}.${verifier}.${Math.ceil(Date.now() / 1_000) + LASTS}`;
    return `${this.#name}=${value}.${this.#signatureOf(value)}; Max-Age=${LASTS}; ${this.#attributes}`;
  }

  clear(): string {
    return `${this.#name}=; Max-Age=0; ${this.#attributes}`;
  }

  #signatureOf(value: string): string {
    return createHmac('sha256', this.#key).update(value).digest('base64url');
  }
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
