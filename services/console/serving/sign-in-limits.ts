import { Problem } from '../../../platform/http/problem.ts';
import { bucketOf } from '../../../platform/rate-limit/bucket.ts';
import { retryAfter } from '../../../platform/rate-limit/headers.ts';
import { MemoryStore } from '../../../platform/rate-limit/memory-store.ts';
import { networkOf } from '../../../platform/rate-limit/sign-in-failures.ts';

/** Attempts of one account: at ten a minute a password of 12 characters is not found by trying. */
const OF_ACCOUNT = bucketOf(6, 10);

/** Attempts from one address, whichever the account: a whole shift may sit behind it. */
const OF_ADDRESS = bucketOf(60, 60);

/** Attempts to sign in, good or bad: those that come at once are counted before any is judged. Per process. */
export class SignInLimits {
  readonly #accounts: MemoryStore;
  readonly #addresses: MemoryStore;

  /** @param monotonic microseconds on a monotonic clock. */
  constructor(monotonic: () => number) {
    this.#accounts = new MemoryStore(OF_ACCOUNT, monotonic);
    this.#addresses = new MemoryStore(OF_ADDRESS, monotonic);
  }

  /** @throws Problem `rate_limited` with `Retry-After`. */
  take({ account, address }: { account: string; address: string }): void {
    this.takeOfAddress(address);
    this.takeOfAccount(account);
  }

  /** @throws as {@link take} does. */
  takeOfAddress(address: string): void {
    const ofAddress = this.#addresses.take(networkOf(address), 1);
    if (!ofAddress.isAllowed) {
      throw tooMany('from this address', retryAfter(ofAddress.debt, OF_ADDRESS, 1));
    }
  }

  /**
   * @param account or whatever else has attempts of its own; what strangers choose of it comes after a word that says what
   * it is.
   * @throws as {@link take} does.
   */
  takeOfAccount(account: string): void {
    const ofAccount = this.#accounts.take(account.slice(0, LONGEST), 1);
    if (!ofAccount.isAllowed) {
      throw tooMany('for this account', retryAfter(ofAccount.debt, OF_ACCOUNT, 1));
    }
  }
}

/** An address, after what it is of. */
const LONGEST = 400;

function tooMany(where: string, seconds: number): Problem {
  return new Problem(
    'rate_limited',
    `Too many attempts to sign in ${where}; try again in ${seconds} seconds`,
    { headers: { 'Retry-After': String(seconds) } },
  );
}
