import { expect } from 'chai';
import { MICROS_PER_SECOND } from '../../../../base/instant.ts';
import { DueTimes } from '../../../../domain/alerts/deriving/due-times.ts';

const at = (second: number) => second * MICROS_PER_SECOND;

describe('due times', () => {
  it('are the earliest of each, until they are taken', () => {
    const due = new DueTimes();
    due.add(1, at(10.5));
    due.add(1, at(30));
    due.add(2, at(20));
    due.add(2, at(12));
    due.add(3, Number.POSITIVE_INFINITY);
    expect(due.take(at(10.4), 9)).to.deep.equal([]);
    expect(due.isDue(at(10.4))).to.equal(false);
    expect(due.isDue(at(10.5))).to.equal(true);
    expect(due.take(at(15), 1)).to.deep.equal([{ id: 1, at: at(10.5) }]);
    expect(due.isDue(at(11.9))).to.equal(false);
    expect(due.isDue(at(15))).to.equal(true);
    expect(due.take(at(15), 9)).to.deep.equal([{ id: 2, at: at(12) }]);
    expect(due.isDue(at(1_000))).to.equal(false);
    due.add(1, at(5));
    expect(due.take(at(1_000), 9)).to.deep.equal([{ id: 1, at: at(5) }]);
  });
});
