import { expect } from 'chai';
import { eachInTurns } from '../../base/each-in-turns.ts';

describe('long work in turns', () => {
  it('lets others have the loop after each step of more than a millisecond, and keeps the order', async () => {
    let rounds = 0;
    let isOver = false;
    const count = () => {
      rounds += 1;
      if (!isOver) {
        setImmediate(count);
      }
    };
    setImmediate(count);
    const results = await eachInTurns([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], (step) => {
      const until = performance.now() + 1.1;
      while (performance.now() < until) {}
      return 2 * step;
    });
    isOver = true;
    expect(results).to.deep.equal([2, 4, 6, 8, 10, 12, 14, 16, 18, 20]);
    expect(rounds).to.be.at.least(9);
  });
});
