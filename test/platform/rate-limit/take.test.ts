import { expect } from 'chai';
import fc from 'fast-check';
import { bucketOf, budgetHeaders, retryAfter, take } from '../../../platform/rate-limit/bucket.ts';
import { randomSets } from '../../support/random-sets.ts';

/** The plain thing: contents that grow with time up to the brim, in the time that it takes to refill them. */
class PlainBucket {
  #contents: bigint;
  #filledAt: bigint;
  readonly #interval: bigint;
  readonly #brim: bigint;

  constructor({ interval, burst }: { interval: number; burst: number }, now: number) {
    this.#interval = BigInt(interval);
    this.#brim = this.#interval * BigInt(burst);
    this.#contents = this.#brim;
    this.#filledAt = BigInt(now);
  }

  take(now: number, tokens: number): { isAllowed: boolean; tokens: number } {
    const grown = this.#contents + BigInt(now) - this.#filledAt;
    this.#contents = grown > this.#brim ? this.#brim : grown;
    this.#filledAt = BigInt(now);
    const cost = this.#interval * BigInt(tokens);
    const isAllowed = this.#contents >= cost;
    if (isAllowed) {
      this.#contents -= cost;
    }
    return { isAllowed, tokens: Number(this.#contents / this.#interval) };
  }
}

/** Buckets of any size, the contract's among them, and pauses that matter to each. */
const perMinute = fc.oneof(fc.constant(60), fc.integer({ min: 1, max: 60_000 }));
const burst = fc.oneof(
  fc.constant(120),
  fc.integer({ min: 1, max: 12 }),
  fc.integer({ min: 1, max: 120_000 }),
);
const bucket = fc.tuple(perMinute, burst).map(([rate, size]) => bucketOf(rate, size));
/** In parts of a token; often whole ones, or a microsecond beside. */
const pause = fc.oneof(
  { arbitrary: fc.constant({ tokens: 0, micros: 0 }), weight: 4 },
  fc.record({ tokens: fc.integer({ min: 0, max: 3 }), micros: fc.integer({ min: -1, max: 1 }) }),
  fc.record({
    tokens: fc.double({ min: 0, max: 200_000, noNaN: true }),
    micros: fc.constant(0),
  }),
);
const start = fc.constantFrom(0, 1_791_936_000_000_000);
/** Bursts of requests, each after a pause. */
const traffic = fc.array(
  fc.tuple(
    pause,
    fc.integer({ min: 1, max: 150 }),
    fc.oneof(
      { arbitrary: fc.constant(1), weight: 3 },
      { arbitrary: fc.integer({ min: 1, max: 60 }), weight: 1 },
    ),
  ),
  { maxLength: 20 },
);

describe('taking a token', () => {
  it('does what a plain token bucket does, after every request', () => {
    fc.assert(
      fc.property(bucket, start, traffic, (rules, startedAt, bursts) => {
        const plain = new PlainBucket(rules, startedAt);
        let fullAt = startedAt;
        let now = startedAt;
        for (const [{ tokens, micros }, requests, each] of bursts) {
          now += Math.max(0, Math.floor(tokens * rules.interval) + micros);
          for (let request = 0; request < requests; request++) {
            const { isAllowed, debt } = take(fullAt, now, rules, each);
            fullAt = now + debt;
            const left = Math.floor((rules.capacity - debt) / rules.interval);
            expect({ isAllowed, tokens: left }).to.deep.equal(plain.take(now, each));
          }
        }
      }),
      { numRuns: randomSets(500) },
    );
  });

  it('finds its tokens after the seconds a refused caller is told, and not a second sooner', () => {
    const some = fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 60 }));
    fc.assert(
      fc.property(bucket, fc.double({ min: 0, max: 1, noNaN: true }), some, (rules, part, wanted) => {
        const tokens = Math.min(wanted, rules.burst);
        const debt = rules.capacity - Math.floor(part * (tokens * rules.interval - 1));
        expect(take(debt, 0, rules, tokens)).to.deep.equal({ isAllowed: false, debt });
        const seconds = retryAfter(debt, rules, tokens);
        expect(seconds).to.be.at.least(1);
        expect(take(debt, seconds * 1e6, rules, tokens).isAllowed).to.equal(true);
        expect(seconds > 1 && take(debt, (seconds - 1) * 1e6, rules, tokens).isAllowed).to.equal(false);
      }),
    );
  });

  it('shows as reset the first second in which the most there can be remains, if nothing is taken', () => {
    const wallMs = 1_791_936_000_123;
    fc.assert(
      fc.property(bucket, fc.double({ min: 0, max: 1, noNaN: true }), (rules, part) => {
        const debt = Math.floor(part * rules.capacity);
        const highest = Math.min(rules.perMinute, rules.burst);
        const remaining = (second: number) => {
          const passed = Math.max(0, (second * 1000 - wallMs) * 1000);
          return Number(budgetHeaders(Math.max(0, debt - passed), rules, wallMs)['X-RateLimit-Remaining']);
        };
        const headers = budgetHeaders(debt, rules, wallMs);
        const reset = Number(headers['X-RateLimit-Reset']);
        expect(headers['X-RateLimit-Limit']).to.equal(String(rules.perMinute));
        expect(remaining(reset)).to.equal(highest);
        if (headers['X-RateLimit-Remaining'] === String(highest)) {
          expect(reset).to.equal(Math.floor(wallMs / 1000));
        } else {
          expect(reset * 1000).to.be.greaterThan(wallMs);
          expect((reset - 1) * 1000 <= wallMs || remaining(reset - 1) < highest).to.equal(true);
        }
      }),
    );
  });

  it('never refills less than promised, and hardly more', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60_000 }), (rate) => {
        const tokens = 60e6 / bucketOf(rate, 1).interval;
        expect(tokens).to.be.within(rate, rate * 1.001);
      }),
    );
  });

  it('takes a bucket for empty at worst, where the clock was set back or the limit lowered', () => {
    const rules = bucketOf(60, 120);
    expect(take(1e15, 0, rules, 1)).to.deep.equal({ isAllowed: false, debt: rules.capacity });
    expect(take(1e15, 1, bucketOf(60_000, 1), 1)).to.deep.equal({ isAllowed: false, debt: 1_000 });
  });
});
