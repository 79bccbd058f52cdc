import { expect } from 'chai';
import { ExpectedReads } from '../../../../domain/alerts/deriving/expected-reads.ts';
import { Random } from '../../../support/random.ts';

const SECOND = 1_000_000;

describe('expected reads', () => {
  it('are asked about before they are due, and once more then if there was none', () => {
    const expected = new ExpectedReads();
    expected.set(7, { by: 60 * SECOND, within: 40 * SECOND }, 20 * SECOND);
    expect(expected.isDue(54 * SECOND)).to.equal(false);
    const [asked] = expected.take(55 * SECOND, 10);
    expect(asked).to.deep.equal({ id: 7, by: 60 * SECOND, within: 40 * SECOND });
    expect(expected.answer(asked as never, 20 * SECOND, 55 * SECOND)).to.equal(null);
    expect(expected.take(59 * SECOND, 10)).to.deep.equal([]);
    const [again] = expected.take(60 * SECOND, 10);
    expect(expected.answer(again as never, 20 * SECOND, 60 * SECOND)).to.equal(60 * SECOND);
    expect(expected.take(1_000 * SECOND, 10)).to.deep.equal([]);
  });

  it('are put off from the last read, but not where it is not known that all were near enough', () => {
    const expected = new ExpectedReads();
    const read = { id: 7, by: 60 * SECOND, within: 40 * SECOND };
    expect(expected.answer(read, 50 * SECOND, 55 * SECOND)).to.equal(null);
    expect(expected.take(90 * SECOND, 10)).to.deep.equal([{ id: 7, by: 90 * SECOND, within: 40 * SECOND }]);
    expect(expected.answer(read, 61 * SECOND, 62 * SECOND)).to.equal(60 * SECOND);
    expect(expected.answer(read, null, 62 * SECOND)).to.equal(60 * SECOND);
  });

  it('are the sooner of what was expected and what a move makes expected', () => {
    const expected = new ExpectedReads();
    expected.add(7, { by: 60, within: 40 }, 0);
    expected.add(7, { by: 80, within: 20 }, 0);
    expect(expected.take(SECOND, 10)).to.deep.equal([{ id: 7, by: 60, within: 20 }]);
  });

  it('are others after a look, unless they were due by then', () => {
    const expected = new ExpectedReads();
    expected.set(7, { by: 50, within: 10 }, 0);
    expected.set(7, { by: 90, within: 30 }, 49);
    expected.set(8, { by: 50, within: 10 }, 0);
    expected.set(8, { by: 90, within: 5 }, 50);
    expected.set(9, { by: 60, within: 10 }, 0);
    expected.set(9, null, 10);
    expect(expected.take(SECOND, 10)).to.deep.equal([
      { id: 7, by: 90, within: 30 },
      { id: 8, by: 50, within: 5 },
    ]);
  });

  it('have every time looked at, of 1,000 random cases, in which there was none for too long', () => {
    let [found, putOff] = [0, 0];
    for (let index = 0; index < 1_000; index++) {
      const random = new Random(41, index);
      const within = (2 + random.below(30)) * SECOND;
      const reads = randomReads(random, within);
      const { looks, asked } = lookAt(reads, within, random);
      putOff += asked - looks.length;
      for (const [at, since] of reads.entries()) {
        const until = reads[at + 1] ?? Number.POSITIVE_INFINITY;
        if (until - since >= within && since + within < END) {
          found += 1;
          const due = since + within;
          const look = looks.find(({ from, now }) => from <= due && now >= due);
          expect(look, `case ${index}, unread since ${since}`).not.to.equal(undefined);
        }
      }
    }
    expect(found).to.be.above(1_000);
    expect(putOff).to.be.above(1_000);
  });
});

const END = 300 * SECOND;

function randomReads(random: Random, within: number): number[] {
  const reads = [0];
  for (let at = 0; at < END; reads.push(at)) {
    at += 1 + random.below(random.below(4) === 0 ? 2 * within : within / 2);
  }
  return reads;
}

/** As turns do, at random instants: what is read just now is known as last read, but not looked at. */
function lookAt(reads: readonly number[], within: number, random: Random) {
  const expected = new ExpectedReads();
  const lastBy = (at: number) => reads.findLast((read) => read <= at) ?? 0;
  expected.set(1, { by: within, within }, 0);
  const looks: { from: number; now: number }[] = [];
  let asked = 0;
  for (let now = 0; now < END + 60 * SECOND; now += 1 + random.below(8 * SECOND)) {
    for (const each of expected.take(now, 10)) {
      asked += 1;
      const from = expected.answer(each, lastBy(now + random.below(2 * SECOND)), now);
      if (from !== null) {
        looks.push({ from, now });
        // One that is overdue is looked at again once it is read.
        const seen = lastBy(now);
        const since = seen + within > now ? seen : (reads.find((read) => read > now) ?? END);
        expected.set(1, { by: since + within, within }, now);
      }
    }
  }
  return { looks, asked };
}
