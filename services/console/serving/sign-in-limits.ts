import { Problem } from '../../../platform/http/problem.ts';
import { type Bucket, bucketOf, MemoryStore, retryAfter } from '../../../platform/rate-limit/bucket.ts';
import { networkOf } from '../../../platform/rate-limit/sign-in-failures.ts';

/** Attempts of one account: at ten a minute a password of 12 characters is not found by trying. */
const OF_ACCOUNT = bucketOf(6, 10);

/** Attempts at passwords from one address by browsers that nobody signed in with, whichever the account. */
const OF_ADDRESS = bucketOf(60, 60);

/** Departures for the identity provider from one address: they cost little, and a whole shift may sit behind it. */
const OF_DEPARTURES = bucketOf(600, 600);

/**
 * Attempts to sign in, good or bad, per process. Simultaneous attempts are counted before any is judged. Deliberate
 * failures use up only the strangers' budget of that address: known browsers, links and answers of the identity
 * provider have their own budgets, each under a secret.
 */
export class SignInLimits {
  readonly #accounts: MemoryStore;
  readonly #addresses: MemoryStore;
  readonly #departures: MemoryStore;

  /** @param monotonic microseconds on a monotonic clock. */
  constructor(monotonic: () => number) {
    this.#accounts = new MemoryStore(OF_ACCOUNT, monotonic);
    this.#addresses = new MemoryStore(OF_ADDRESS, monotonic);
    this.#departures = new MemoryStore(OF_DEPARTURES, monotonic);
  }

  /** @throws Problem `rate_limited` with `Retry-After`. */
  takeOfAddress(address: string): void {
    take(this.#addresses, OF_ADDRESS, networkOf(address), 'from this address');
  }

  /** @throws as {@link takeOfAddress} does. */
  takeDeparture(address: string): void {
    take(this.#departures, OF_DEPARTURES, networkOf(address), 'from this address');
  }

  /**
   * @param account or another key with its own budget; text that strangers choose follows a word for its kind.
   * @throws as {@link takeOfAddress} does.
   */
  takeOfAccount(account: string): void {
    take(this.#accounts, OF_ACCOUNT, account.slice(0, LONGEST), 'for this account');
  }
}

/** An address, after a word for its kind. */
const LONGEST = 400;

function take(store: MemoryStore, bucket: Bucket, key: string, where: string): void {
  const { isAllowed, debt } = store.take(key, 1);
  if (!isAllowed) {
    const seconds = retryAfter(debt, bucket, 1);
    throw new Problem(
      'rate_limited',
      `Too many attempts to sign in ${where}; try again in ${seconds} seconds`,
      { headers: { 'Retry-After': String(seconds) } },
    );
  }
}
