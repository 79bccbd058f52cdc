import type { IncomingMessage } from 'node:http';
import type { Errand } from './provider.ts';

/** Seconds for signing in at the provider. */
const LASTS = 600;

/**
 * Keeps an errand in the browser that is on it, so that any process can finish it, and no other browser: a link with the
 * answer for somebody else signs nobody in. SameSite=Lax, because the browser comes from the provider's site.
 */
export class ErrandCookie {
  readonly #name: string;
  readonly #attributes: string;

  constructor(isSecure: boolean) {
    this.#name = isSecure ? '__Host-tagtrail_errand' : 'tagtrail_errand';
    this.#attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  }

  read({ headers: { cookie = '' } }: IncomingMessage): Errand | null {
    const prefix = `${this.#name}=`;
    const pairs = cookie.split(';').map((pair) => pair.trim());
    const value = pairs.find((pair) => pair.startsWith(prefix))?.slice(prefix.length) ?? '';
    const [state, nonce, verifier, more] = value.split('.');
    return state && nonce && verifier && more === undefined ? { state, nonce, verifier } : null;
  }

  /** All three are base64url. */
  set({ state, nonce, verifier }: Errand): string {
    return `${this.#name}=${state}.${nonce}.${verifier}; Max-Age=${LASTS}; ${this.#attributes}`;
  }

  clear(): string {
    return `${this.#name}=; Max-Age=0; ${this.#attributes}`;
  }
}
