import { expect } from 'chai';
import { LogBudget } from '../../../platform/runtime/log-budget.ts';

describe('a budget of lines', () => {
  let now = 0;
  beforeEach(() => {
    now = 0;
  });
  const budget = (lines: number) => new LogBudget(lines, () => now);

  it('lets so many a minute through for each subject, and tells later how many it did not', () => {
    const lines = budget(2);
    expect(['a', 'a', 'a', 'a', 'b'].map((subject) => lines.take(subject))).to.deep.equal([
      0,
      0,
      null,
      null,
      0,
    ]);
    now = 59_999;
    expect(lines.take('a')).to.equal(null);
    now = 60_000;
    expect(['a', 'a', 'a'].map((subject) => lines.take(subject))).to.deep.equal([3, 0, null]);
  });

  it('counts what is beyond a thousand subjects a minute as one', () => {
    const lines = budget(1);
    const taken = Array.from({ length: 3_000 }, (_, subject) => lines.take(`${subject}`));
    expect(taken.filter((leftOut) => leftOut !== null)).to.have.lengthOf(1_001);
    now = 60_000;
    expect(lines.take('new')).to.equal(0);
    expect(lines.take('newer')).to.equal(0);
  });
});
