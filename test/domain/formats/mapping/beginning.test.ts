import { expect } from 'chai';
import { beginningOf } from '../../../../domain/formats/mapping/values/printable.ts';
import { Random } from '../../../support/random.ts';

const LIMIT = 60;

describe('the beginning of a value', () => {
  it('has the same first letters as JSON as the whole value, and is longer than those where that is', () => {
    for (let index = 0; index < 2_000; index++) {
      const value = anything(new Random(7, index), 5);
      const whole = JSON.stringify(value);
      const begun = JSON.stringify(beginningOf(value, LIMIT));
      expect(begun.slice(0, LIMIT), `case ${index}`).to.equal(whole.slice(0, LIMIT));
      expect(begun.length > LIMIT, `case ${index}`).to.equal(whole.length > LIMIT);
    }
  });

  it('does not visit what it does not need', () => {
    const many = Object.defineProperty(new Array(1_000_000).fill(''), LIMIT + 1, {
      get: () => expect.fail('visited'),
    });
    expect(beginningOf({ a: [many], b: 1 }, LIMIT)).to.have.property('a');
  });
});

function anything(random: Random, depth: number): unknown {
  const several = () => Array.from({ length: random.below(9) }, () => anything(random, depth - 1));
  switch (random.below(depth === 0 ? 5 : 8)) {
    case 0:
      return null;
    case 1:
      return random.below(100) / 8;
    case 2:
      return 'x'.repeat(random.below(random.once(9) ? 2 * LIMIT : 9));
    case 3:
      return random.once(2);
    case 4:
      return '"\n';
    case 5:
      return several();
    default:
      return Object.fromEntries(several().map((member, at) => [random.once(2) ? `k${at}` : `${at}`, member]));
  }
}
