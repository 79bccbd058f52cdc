import { expect } from 'chai';
import { MICROS_PER_DAY } from '../../../../base/instant.ts';
import { keptWatches } from '../../../../domain/presence/watching/stored-watches.ts';

/** A day, and half of it, so many days ago. */
const days = (...ago: readonly number[]) =>
  ago.map((each) => ({ since: (100 - each) * MICROS_PER_DAY, until: (100.5 - each) * MICROS_PER_DAY }));

describe('watches of ingestion that are kept', () => {
  it('are those of eight days', () => {
    expect(keptWatches(days(20, 10, 9, 8, 7, 6, 2, 1, 0))).to.deep.equal(days(8, 7, 6, 2, 1, 0));
  });

  it('are two days of watched time at least, however long ago they were', () => {
    expect(keptWatches(days(60, 50, 40, 30, 20, 0))).to.deep.equal(days(40, 30, 20, 0));
    expect(keptWatches([])).to.deep.equal([]);
  });
});
