import { createHash, timingSafeEqual } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { TRUSTED_MS } from '../../../base/heard-everywhere.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { loadLogins, type MqttLogin } from '../../../domain/administration/mqtt-consumers/consumers.ts';
import { LEAVING } from '../registry/registry.ts';

const NAME = /^consumer-\d+$/;

/** A login with such a name belongs to a consumer, not a reader. */
export function isConsumerName(username: string | undefined): username is string {
  return username !== undefined && NAME.test(username);
}

/**
 * Logins, looked up together: at most once per {@link SPACING} milliseconds, whatever names strangers make up. Known
 * ones are trusted for {@link TRUSTED_MS}.
 */
export class ConsumerLogins {
  readonly #db: Connection;
  #logins: ReadonlyMap<string, MqttLogin> = new Map();
  #asOf = Number.NEGATIVE_INFINITY;
  #loading: Promise<void> | null = null;

  constructor(db: Connection) {
    this.#db = db;
  }

  /** @throws the database's error if they cannot be looked up. */
  async signIn(username: string, password: Readonly<Buffer> | undefined): Promise<MqttLogin | null> {
    const since = performance.now();
    await this.#knowAsOf(since - TRUSTED_MS);
    if (!this.#logins.has(username)) {
      // It may have been made just now.
      await this.#knowAsOf(since);
    }
    const login = this.#logins.get(username);
    if (login === undefined || password === undefined) {
      return null;
    }
    const sha256 = createHash('sha256').update(password).digest();
    return timingSafeEqual(sha256, login.passwordSha256) ? login : null;
  }

  /**
   * Why a login no longer exists; null if it does.
   *
   * @throws the database's error if it cannot be looked up.
   */
  async whyGone(username: string): Promise<string | null> {
    await this.#knowAsOf(performance.now() - TRUSTED_MS);
    const login = this.#logins.get(username);
    if (login === undefined) {
      return 'the consumer was deleted';
    }
    return login.isLeaving ? LEAVING : null;
  }

  async #knowAsOf(when: number): Promise<void> {
    while (this.#asOf < when) {
      this.#loading ??= this.#load().finally(() => {
        this.#loading = null;
      });
      await this.#loading;
    }
  }

  async #load(): Promise<void> {
    await pause(Math.max(0, this.#asOf + SPACING - performance.now()));
    const begun = performance.now();
    this.#logins = new Map((await loadLogins(this.#db)).map((login) => [login.username, login]));
    this.#asOf = begun;
  }
}

const SPACING = 100;
