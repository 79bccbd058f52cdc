import { expect } from 'chai';
import { MICROS_PER_SECOND } from '../../../../base/instant.ts';
import { stretchesOf } from '../../../../domain/messages/heard-stretches.ts';
import { learnedExpectation } from '../../../../domain/presence/silence/learn.ts';
import { Random } from '../../../support/random.ts';

const ALWAYS = [{ since: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY }];
const WEEK = 7 * 86_400;

/** @param seconds when messages came. */
function learned(seconds: readonly number[], watched = ALWAYS): number | null {
  const heard = stretchesOf(seconds.map((second) => second * MICROS_PER_SECOND).sort((a, b) => a - b));
  const expected = learnedExpectation(heard, watched, heard.at(-1)?.until ?? 0);
  return expected === null ? null : expected / MICROS_PER_SECOND;
}

/** Of the messages themselves. */
function byDefinition(seconds: readonly number[]): number {
  const sorted = seconds.toSorted((a, b) => a - b);
  const gaps = sorted.slice(1).map((second, before) => second - (sorted[before] ?? second));
  const usual = gaps.sort((a, b) => b - a)[Math.floor(gaps.length / 1_000)] ?? 0;
  return Math.min(86_400, Math.max(30, Math.ceil(2 * usual)));
}

const every = (pause: number, from: number, to: number) =>
  Array.from({ length: Math.floor((to - from) / pause) }, (_, number) => from + number * pause);

describe('what is learned to expect of a reader', () => {
  it('is twice the 99.9th percentile of the gaps between its messages, whatever the order they came in', () => {
    for (let index = 0; index < 200; index++) {
      const random = new Random(17, index);
      let at = 0;
      const pause = 1 + random.below(200);
      const seconds = Array.from({ length: 100 + random.below(4_000) }, () => {
        at += 1 + random.below(pause) + (random.once(500) ? random.below(2_000) : 0);
        return at;
      });
      const expected = at < 3_600 + (seconds[0] ?? 0) ? null : byDefinition(seconds);
      if (at < WEEK) {
        expect(learned(seconds), `case ${index}`).to.equal(expected);
        expect(learned(seconds.toReversed()), `case ${index}`).to.equal(expected);
      }
    }
  });

  it('is not known of a reader that was heard for less than an hour', () => {
    expect(learned([])).to.equal(null);
    expect(learned(every(10, 0, 3_600))).to.equal(null);
    expect(learned(every(10, 0, 3_620))).to.equal(30);
  });

  it('is thirty seconds at least, and a day at most', () => {
    expect(learned(every(1, 0, 7_200))).to.equal(30);
    expect(learned([0, 60_000, 120_000])).to.equal(86_400);
  });

  it('is not longer for an outage of a reader that says much', () => {
    const before = every(60, 0, 86_400);
    expect(learned([...before, ...every(60, 90_000, 3 * 86_400)])).to.equal(120);
  });

  it('forgets what was longer ago than seven days', () => {
    expect(learned([...every(3_000, 0, 86_400), ...every(60, 86_400, 9 * 86_400)])).to.equal(120);
  });

  it('does not count the time in which nobody could hear', () => {
    const nights = [0, 1, 2].flatMap((day) => every(60, day * 86_400, day * 86_400 + 40_000));
    expect(learned(nights)).to.be.above(80_000);
    const watched = [0, 1, 2].map((day) => ({
      since: day * 86_400 * MICROS_PER_SECOND,
      until: (day * 86_400 + 39_960) * MICROS_PER_SECOND,
    }));
    expect(learned(nights, watched)).to.equal(120);
  });
});
