import { createHash, timingSafeEqual } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { AuthenticateError, Client } from 'aedes';
import type { RegisteredReader } from '../../../domain/messages/load-readers.ts';
import type { Registry } from '../registry/registry.ts';

/** MQTT 3.1.1 section 3.2.2.3. */
const BAD_USER_NAME_OR_PASSWORD = 4;

/** Stands for a password: the reader's valid certificate names it. */
export const CERTIFIED = Symbol('certified');

/** Null for a wrong name or password. `leaving`: its organization moves to another cell, or has moved. */
export type SignIn = (
  username: string | undefined,
  password: Readonly<Buffer> | typeof CERTIFIED | undefined,
) => Promise<RegisteredReader | 'leaving' | null>;

/**
 * Checks credentials against the registry. An unknown name is looked up in the database, together with others that
 * wait, before it is refused. The registry is loaded only if the password is right, because strangers can make up any
 * number of names.
 */
export function signInAt(
  registry: Pick<
    Registry,
    'byUsername' | 'isLeaving' | 'refresh' | 'isFresh' | 'whenFresh' | 'passwordsInDatabase'
  >,
): SignIn {
  const passwords = new PasswordsInDatabase(registry);
  // During an outage readers sign in by the last known registry; their messages wait until it is fresh.
  const fresh = () => new Promise<void>((resolve) => registry.whenFresh(resolve, () => resolve()));
  return async (username, password) => {
    if (username === undefined || password === undefined) {
      return null;
    }
    const find = () => {
      const reader = registry.byUsername(username);
      if (reader === undefined) {
        // It may have another password at the other cell since.
        return registry.isLeaving(username) ? 'leaving' : null;
      }
      return isProof(password, reader.passwordSha256) ? reader : null;
    };
    if (!registry.isFresh() && find() !== null) {
      await Promise.race([fresh(), pause(LONGEST_WAIT)]);
    }
    const found = find();
    if (found !== null || (registry.byUsername(username) !== undefined && registry.isFresh())) {
      return found;
    }
    const stored = await passwords.of(username);
    if (stored === undefined || !isProof(password, stored)) {
      return null;
    }
    await registry.refresh();
    return find();
  };
}

function isProof(password: Readonly<Buffer> | typeof CERTIFIED, expected: Buffer): boolean {
  return password === CERTIFIED || timingSafeEqual(createHash('sha256').update(password).digest(), expected);
}

/** One query at a time, for all who wait, at most every {@link SPACING} milliseconds. */
class PasswordsInDatabase {
  readonly #registry: Pick<Registry, 'passwordsInDatabase'>;
  #names = new Set<string>();
  #next: Promise<ReadonlyMap<string, Buffer>> | null = null;
  #last: Promise<unknown> = Promise.resolve();

  constructor(registry: Pick<Registry, 'passwordsInDatabase'>) {
    this.#registry = registry;
  }

  async of(username: string): Promise<Buffer | undefined> {
    if (username.length > LONGEST_NAME || username.includes('\0') || !username.isWellFormed()) {
      return undefined;
    }
    this.#names.add(username);
    this.#next ??= this.#ask();
    return (await this.#next).get(username);
  }

  async #ask(): Promise<ReadonlyMap<string, Buffer>> {
    await Promise.all([this.#last.catch(() => {}), pause(SPACING)]);
    const names = [...this.#names];
    this.#names = new Set();
    this.#next = null;
    const asked = this.#registry.passwordsInDatabase(names);
    this.#last = asked;
    return asked;
  }
}

/** UTF-16 units; no reader has a longer one. */
const LONGEST_NAME = 255;

/** Milliseconds that a sign-in waits for a silent database. */
const LONGEST_WAIT = 1_000;

/** Milliseconds. */
const SPACING = 100;

/** For the callback of the broker. */
export function badCredentials(): AuthenticateError {
  return Object.assign(new Error('wrong user name or password'), { returnCode: BAD_USER_NAME_OR_PASSWORD });
}

/**
 * Makes a client reconnect, instead of answering: its connection ends without a CONNACK, which every client takes for a
 * network failure. "Server unavailable" (3) would say more, but some clients, such as mqtt.js by default, stay away
 * after any refusal.
 */
export function endUnanswered({ conn }: Client): void {
  conn.destroy();
}
