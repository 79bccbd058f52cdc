import type { IncomingMessage } from 'node:http';
import { SESSION_SECONDS } from '../../../domain/administration/users/sessions/begin-session.ts';
import type { Headers } from '../../../platform/http/problem.ts';

/**
 * The session's cookie. Over TLS its prefix has browsers refuse one that another host of the domain, or plain HTTP, would
 * plant.
 */
export class SessionCookie {
  readonly #name: string;
  readonly #attributes: string;

  /** @param isSecure whether people reach the console over TLS. */
  constructor(isSecure: boolean) {
    this.#name = isSecure ? '__Host-tagtrail_session' : 'tagtrail_session';
    this.#attributes = `Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
  }

  /** Null if there is none, or several: then somebody else planted one. */
  read({ headers: { cookie = '' } }: IncomingMessage): string | null {
    const prefix = `${this.#name}=`;
    const values = cookie
      .split(';')
      .map((pair) => pair.trim())
      .filter((pair) => pair.startsWith(prefix));
    const [value] = values;
    return value === undefined || values.length > 1 ? null : value.slice(prefix.length);
  }

  /** @param token base64url. */
  set(token: string): Headers {
    return { 'Set-Cookie': `${this.#name}=${token}; Max-Age=${SESSION_SECONDS}; ${this.#attributes}` };
  }

  clear(): Headers {
    return { 'Set-Cookie': `${this.#name}=; Max-Age=0; ${this.#attributes}` };
  }
}
