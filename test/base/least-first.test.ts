import { expect } from 'chai';
import fc from 'fast-check';
import { LeastFirst } from '../../base/least-first.ts';

describe('a queue with the least first', () => {
  it('has the same first item as a sorted list, whatever is added and removed', () => {
    const steps = fc.array(fc.option(fc.integer({ min: 0, max: 20 })), { maxLength: 100 });
    fc.assert(
      fc.property(steps, (given) => {
        const queue = new LeastFirst<number>((one, other) => one - other);
        const list: number[] = [];
        for (const step of given) {
          if (step === null) {
            queue.removeFirst();
            list.shift();
          } else {
            queue.add(step);
            list.push(step);
            list.sort((one, other) => one - other);
          }
          expect(queue.first).to.equal(list[0]);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});
