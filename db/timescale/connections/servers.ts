import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { messageOf } from '../../../base/errors.ts';
import { askServer, type ServerAnswer, UNTOLD } from './ask-server.ts';
import { choosePrimary, faultOfServers, isSameSystem, nameOf, whyNot } from './choose-primary.ts';
import { isConnectionLost, thrownByPg } from './connection-lost.ts';
import type { Address, Wanted } from './database-url.ts';
import { KNOWN_PRIMARIES } from './known-primaries.ts';
import { sqlStateOf } from './sql-state.ts';

/** Milliseconds between questions to a server that is not the wanted one. */
const EVERY = 100;

/** Milliseconds for the others to answer after a primary answered that this process has not used yet. */
const GRACE = 250;

/** `protocol_violation`: a pooler in between, which refuses start-up options each time. */
const REFUSED_BY_POOLER = '08P01';

/** The last news of a server. */
interface Heard {
  address: Address;
  isHeard: boolean;
  answer: ServerAnswer | null;
  reason: string;
  /** For good. */
  refusal: unknown;
}

/**
 * The servers of one database, any of which may become primary. All are asked at once, because a vanished server does
 * not refuse, and again until one is of the wanted kind: during a switchover callers wait rather than fail. Connections
 * opened at the same time share an answer, which is not remembered, because it may soon be wrong. Its timeline is
 * remembered, so that a replaced primary is never used again.
 */
export class Servers {
  readonly wanted: Wanted;
  readonly #addresses: readonly Address[];
  readonly #config: pg.ClientConfig;
  #finding: Promise<ServerAnswer> | null = null;
  #system: string | null = null;
  #areUntold = false;

  /** @param config of connections to any of them. */
  constructor(addresses: readonly Address[], wanted: Wanted, config: pg.ClientConfig) {
    this.wanted = wanted;
    this.#addresses = addresses;
    this.#config = config;
  }

  /**
   * @param within milliseconds.
   * @throws what each of them answered, as the loss of a connection; the refusal itself if all refuse for good.
   */
  find(within: number): Promise<ServerAnswer> {
    this.#finding ??= this.#find(within).finally(() => {
      this.#finding = null;
    });
    return this.#finding;
  }

  get areSeveral(): boolean {
    return this.#addresses.length > 1;
  }

  /**
   * Whether the login may not ask an examined server for its cluster; then a server of another cluster could pass as a
   * standby.
   */
  get areUntold(): boolean {
    return this.#areUntold;
  }

  /**
   * Asks each server once.
   *
   * @returns what is wrong with them as a whole, with the remedy; null if nothing is.
   */
  async examine(): Promise<{ message: string; remedy: string } | null> {
    const asked = await Promise.allSettled(
      this.#addresses.map((address) => askServer(address, this.#config)),
    );
    const answers = asked.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    this.#areUntold = answers.some(({ system }) => system === UNTOLD);
    const fault = faultOfServers(answers, knownOf);
    if (this.wanted === 'primary') {
      KNOWN_PRIMARIES.note(answers, unlessDivided(answers));
    }
    return fault;
  }

  async #find(within: number): Promise<ServerAnswer> {
    const over = new AbortController();
    const found = Promise.withResolvers<ServerAnswer>();
    const heard = this.#addresses.map(
      (address): Heard => ({
        address,
        isHeard: false,
        answer: null,
        reason: 'does not answer',
        refusal: undefined,
      }),
    );
    let grace: NodeJS.Timeout | undefined;
    const decide = (isLate: boolean) => {
      const isLast = isLate || heard.every(({ isHeard }) => isHeard);
      try {
        const choice = this.#choose(answersOf(heard));
        if (choice !== null && (isLast || this.wanted === 'standby' || KNOWN_PRIMARIES.isEnough(choice))) {
          found.resolve(choice);
        } else if (choice !== null) {
          waitForOthers();
        }
      } catch (error) {
        if (isLast) {
          found.reject(error);
        } else {
          waitForOthers();
        }
      }
    };
    const waitForOthers = () => {
      grace ??= setTimeout(() => {
        grace = undefined;
        decide(true);
      }, GRACE);
    };
    const timer = setTimeout(() => over.abort(), within);
    try {
      const asking = heard.map((each) => this.#keepAsking(each, over.signal, () => decide(false)));
      Promise.all(asking).then(() => found.reject(this.#noneOf(heard)), found.reject);
      const choice = await found.promise;
      if (this.wanted === 'primary') {
        this.#system = choice.system;
        KNOWN_PRIMARIES.note(answersOf(heard), choice);
      }
      return choice;
    } finally {
      clearTimeout(timer);
      clearTimeout(grace);
      over.abort();
    }
  }

  #choose(answers: readonly ServerAnswer[]): ServerAnswer | null {
    return this.wanted === 'standby'
      ? (answers.find(({ standing }) => standing === 'standby') ?? null)
      : choosePrimary(answers.filter(this.#isOfThem), knownOf);
  }

  /** The database that was found before. */
  readonly #isOfThem = ({ system }: ServerAnswer): boolean =>
    this.#system === null || isSameSystem(system, this.#system);

  async #keepAsking(heard: Heard, signal: AbortSignal, onHeard: () => void): Promise<void> {
    while (!signal.aborted) {
      try {
        heard.answer = await askServer(heard.address, this.#config, signal);
      } catch (error) {
        if (signal.aborted) {
          // Its last answer says more than a timeout.
          return;
        }
        heard.answer = null;
        heard.reason = messageOf(error);
        if (!isConnectionLost(thrownByPg(error)) || sqlStateOf(error) === REFUSED_BY_POOLER) {
          heard.refusal = error;
        }
      }
      heard.isHeard = true;
      onHeard();
      if (heard.refusal !== undefined) {
        return;
      }
      await pause(EVERY, undefined, { signal }).catch(() => {});
    }
  }

  #noneOf(heard: readonly Heard[]): unknown {
    const [first] = heard;
    if (heard.every(({ refusal }) => refusal instanceof pg.DatabaseError)) {
      return first?.refusal;
    }
    const reasons = heard.map(
      (each) => `${nameOf(each.address)} (${this.#reasonOf(each, answersOf(heard))})`,
    );
    const error = new Error(`no ${this.wanted} among ${reasons.join(', ')}`, { cause: first?.refusal });
    return Object.assign(error, { code: NONE_WANTED });
  }

  #reasonOf({ answer, reason }: Heard, answers: readonly ServerAnswer[]): string {
    if (answer === null) {
      return reason;
    }
    if (this.wanted === 'standby') {
      return 'is no standby';
    }
    return this.#isOfThem(answer) ? whyNot(answer, answers, knownOf) : 'is another database than before';
  }
}

/** `code` of the error if none of the servers is the wanted one. */
export const NONE_WANTED = 'NONE_WANTED';

const knownOf = (system: string) => KNOWN_PRIMARIES.of(system);

function answersOf(heard: readonly Heard[]): ServerAnswer[] {
  return heard.flatMap(({ answer }) => answer ?? []);
}

function unlessDivided(answers: readonly ServerAnswer[]): ServerAnswer | null {
  try {
    return choosePrimary(answers, knownOf);
  } catch {
    return null;
  }
}
