import type { IncomingMessage } from 'node:http';

/**
 * A cookie that no script reads and no other site sends. Over TLS its prefix has browsers refuse one that another host of the
 * domain, or plain HTTP, would plant.
 */
export class OwnCookie {
  readonly #name: string;
  readonly #seconds: number;
  readonly #attributes: string;

  /**
   * @param seconds that a browser keeps it for.
   * @param isSecure whether people reach the console over TLS.
   */
  constructor(name: string, { seconds, isSecure }: { seconds: number; isSecure: boolean }) {
    this.#name = isSecure ? `__Host-tagtrail_${name}` : `tagtrail_${name}`;
    this.#seconds = seconds;
    this.#attributes = `Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
  }

  /** Null if there is none, or if there are several: then somebody planted one. */
  read({ headers: { cookie = '' } }: IncomingMessage): string | null {
    const prefix = `${this.#name}=`;
    const values = cookie
      .split(';')
      .map((pair) => pair.trim())
      .filter((pair) => pair.startsWith(prefix));
    const [value] = values;
    return value === undefined || values.length > 1 ? null : value.slice(prefix.length);
  }

  /** The header `Set-Cookie`. @param value base64url, and dots. */
  set(value: string): string {
    return `${this.#name}=${value}; Max-Age=${this.#seconds}; ${this.#attributes}`;
  }

  clear(): string {
    return `${this.#name}=; Max-Age=0; ${this.#attributes}`;
  }
}
