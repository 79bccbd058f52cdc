import type { Socket } from 'node:net';

export interface QuotaLimits {
  messagesPerSecond: number;
  bytesPerSecond: number;
  readsPerSecond: number;
}

/** Milliseconds on a monotonic clock. */
type Now = () => number;

/**
 * Rate limiter shared by all connections of one reader's login: three token buckets, for messages, bytes and
 * reads. Nothing is dropped: an overdrawn connection is not read until the debt is paid, one connection after
 * the other, so that backpressure reaches the sender and nobody else.
 */
export class ReaderQuota {
  readonly #limits: QuotaLimits;
  readonly #now: Now;
  readonly #waiting: (() => void)[] = [];
  #messagesFullAt = 0;
  #bytesFullAt = 0;
  #readsFullAt = 0;
  #waitingSince: number | null = null;
  #throttled = 0;
  #timer: NodeJS.Timeout | undefined;
  readonly #gathering = new Map<Socket, number>();
  #gathered = 0;
  connections = 0;
  /** Pushes that were refused and are not counted yet. */
  refused = 0;
  readonly orgId: number;

  constructor(limits: QuotaLimits, orgId: number, now: Now) {
    this.#limits = limits;
    this.orgId = orgId;
    this.#now = now;
  }

  get gathered(): number {
    return this.#gathered;
  }

  /** Milliseconds until the debt is paid; 0 without one. */
  get debt(): number {
    const fullAt = Math.max(this.#messagesFullAt, this.#bytesFullAt, this.#readsFullAt);
    return Math.max(0, fullAt - BURST - this.#now());
  }

  charge(messages: number, bytes: number): void {
    const now = this.#now();
    const { messagesPerSecond, bytesPerSecond } = this.#limits;
    this.#messagesFullAt = Math.max(this.#messagesFullAt, now) + (messages / messagesPerSecond) * 1_000;
    this.#bytesFullAt = Math.max(this.#bytesFullAt, now) + (bytes / bytesPerSecond) * 1_000;
  }

  /** Charged afterwards: the number of reads is known once a message is decoded. */
  chargeReads(reads: number): void {
    const costs = (reads / this.#limits.readsPerSecond) * 1_000;
    this.#readsFullAt = Math.max(this.#readsFullAt, this.#now()) + costs;
  }

  /** @param proceed called when the debt is paid and earlier callers have proceeded. */
  wait(proceed: () => void): void {
    this.#waitingSince ??= this.#now();
    this.#waiting.push(proceed);
    this.#schedule();
  }

  /** Milliseconds of throttling since the last call. */
  takeThrottled(): number {
    const now = this.#now();
    if (this.#waitingSince !== null) {
      this.#throttled += now - this.#waitingSince;
      this.#waitingSince = now;
    }
    const whole = Math.floor(this.#throttled);
    this.#throttled -= whole;
    return whole;
  }

  /** Records the length of a connection's unfinished packet, 0 for none. @returns the sum over all. */
  gather(socket: Socket, length: number): number {
    const before = this.#gathering.get(socket) ?? 0;
    if (length !== before) {
      this.#gathered += length - before;
      length === 0 ? this.#gathering.delete(socket) : this.#gathering.set(socket, length);
    }
    return this.#gathered;
  }

  largest(): Socket | undefined {
    return [...this.#gathering].sort(([, a], [, b]) => b - a)[0]?.[0];
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      while (this.debt === 0) {
        const proceed = this.#waiting.shift();
        if (proceed === undefined) {
          break;
        }
        proceed();
      }
      if (this.#waiting.length > 0) {
        this.#schedule();
      } else if (this.#waitingSince !== null) {
        this.#throttled += this.#now() - this.#waitingSince;
        this.#waitingSince = null;
      }
    }, this.debt + 1).unref();
  }
}

export class ReaderQuotas {
  readonly #limits: QuotaLimits;
  readonly #now: Now;
  readonly #quotas = new Map<string, ReaderQuota>();

  constructor(limits: QuotaLimits, now: Now = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
  }

  /** Counts a connection. Debts outlive connections, so reconnecting pays none. */
  connect(username: string, orgId: number): ReaderQuota {
    let quota = this.#quotas.get(username);
    if (quota === undefined) {
      this.#forgetIdle();
      quota = new ReaderQuota(this.#limits, orgId, this.#now);
      this.#quotas.set(username, quota);
    }
    quota.connections += 1;
    return quota;
  }

  /**
   * The connection to cut when unfinished packets take too much memory: the largest of the reader with most; if all
   * together take too much, of the organization with most; else null.
   */
  overfull(quota: ReaderQuota): Socket | null {
    if (quota.gathered > MOST_GATHERED_BY_READER) {
      return quota.largest() ?? null;
    }
    const byOrganization = Map.groupBy(this.#quotas.values(), ({ orgId }) => orgId);
    const sums = [...byOrganization.values()].map((quotas) => ({ quotas, bytes: gatheredOf(quotas) }));
    if (sums.reduce((sum, { bytes }) => sum + bytes, 0) <= MOST_GATHERED) {
      return null;
    }
    const { quotas } = sums.reduce((most, one) => (one.bytes > most.bytes ? one : most));
    return quotas.reduce((most, one) => (one.gathered > most.gathered ? one : most)).largest() ?? null;
  }

  #forgetIdle(): void {
    if (this.#quotas.size >= this.#sweepAt) {
      for (const [username, quota] of this.#quotas) {
        if (quota.connections === 0 && quota.debt === 0 && quota.refused === 0) {
          this.#quotas.delete(username);
        }
      }
      this.#sweepAt = Math.max(FIRST_SWEEP, this.#quotas.size * 2);
    }
  }

  #sweepAt = FIRST_SWEEP;
}

function gatheredOf(quotas: readonly ReaderQuota[]): number {
  return quotas.reduce((sum, { gathered }) => sum + gathered, 0);
}

/** Milliseconds of refill. */
const BURST = 1_000;

/** Bytes of unfinished packets: two of the largest per reader, and in total. */
const MOST_GATHERED_BY_READER = 32 * 1024 * 1024;
const MOST_GATHERED = 128 * 1024 * 1024;

const FIRST_SWEEP = 1_000;
