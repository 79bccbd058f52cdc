import { expect } from 'chai';
import { backOff } from '../../../clients/handheld-app/src/queue/back-off.ts';
import { nextBundle, submissionOf } from '../../../clients/handheld-app/src/queue/bundle.ts';
import { learnedPlaces } from '../../../clients/handheld-app/src/queue/learned-places.ts';
import { placed, result, scan } from './scans.ts';

const numbers = (scans: readonly { seq: number }[]) => scans.map(({ seq }) => seq);

describe('which scans go into the next submission', () => {
  it('the first ones, in their order, at most a thousand', () => {
    const queued = Array.from({ length: 1_500 }, (_, index) => scan(index + 1));
    expect(numbers(nextBundle(queued))).to.deep.equal(numbers(queued.slice(0, 1_000)));
  });

  it('none of none', () => {
    expect(nextBundle([])).to.deep.equal([]);
  });

  it('ends with the tag of another place, so that what comes after it is said to be at the place that was shown', () => {
    const queued = [scan(1), scan(2, { sets: placed(2) }), scan(3, { place: placed(2) })];
    expect(numbers(nextBundle(queued))).to.deep.equal([1, 2]);
    expect(submissionOf('ID', nextBundle(queued.slice(2))).location).to.deep.equal({ id: 2 });
    const first = [scan(1, { place: null, sets: placed(2) }), scan(2, { place: placed(2) })];
    expect(numbers(nextBundle(first))).to.deep.equal([1]);
  });

  it('goes on over the tag of the place where the user is already', () => {
    const queued = [scan(1), scan(2, { sets: placed(1) }), scan(3), scan(4, { sets: placed(1) }), scan(5)];
    expect(numbers(nextBundle(queued))).to.deep.equal([1, 2, 3, 4, 5]);
  });

  it('ends where another place was chosen by hand, or was not known any more', () => {
    expect(numbers(nextBundle([scan(1), scan(2, { place: placed(2) })]))).to.deep.equal([1]);
    expect(numbers(nextBundle([scan(1), scan(2, { place: null })]))).to.deep.equal([1]);
    expect(numbers(nextBundle([scan(1, { place: null }), scan(2)]))).to.deep.equal([1]);
  });

  it('ends where scans of another tab, at another place, come between', () => {
    const queued = [scan(1, { sets: placed(2) }), scan(2), scan(3, { place: placed(2) })];
    expect(numbers(nextBundle(queued))).to.deep.equal([1]);
  });

  it('stays below what the gateway takes, whatever the values', () => {
    const queued = Array.from({ length: 1_000 }, (_, index) => scan(index, { value: '貨'.repeat(255) }));
    const bundle = nextBundle(queued);
    const bytes = Buffer.byteLength(JSON.stringify(submissionOf('01ARZ3NDEKTSV4RRFFQ69G5FAV', bundle)));
    expect(bytes).to.be.within(300_000, 1_000_000);
  });

  it('is said with the place of the first, and with each scan’s own time', () => {
    const [first, second] = [scan(1), scan(2)];
    expect(submissionOf('ID', [first, second])).to.deep.equal({
      submission_id: 'ID',
      location: { id: 1 },
      scans: [first, second].map(({ tag_type, value, observed_at }) => ({ tag_type, value, observed_at })),
    });
    expect(submissionOf('ID', [scan(1, { place: null })])).not.to.have.property('location');
  });
});

describe('where the walk was when the gateway knew a place’s tag that the device did not', () => {
  it('is the last place of each leg that was news', () => {
    const answered = [
      scan(1, { leg: 'a', result: result('location', { location: placed(5) }) }),
      scan(2, { leg: 'a', result: result('location', { location: placed(6) }) }),
      scan(3, { leg: 'b', sets: placed(7), result: result('location', { location: placed(7) }) }),
      scan(4, { leg: 'b', result: result('seen', { location: placed(7) }) }),
    ];
    expect([...learnedPlaces(answered)]).to.deep.equal([['a', placed(6)]]);
  });

  it('is where the tag is now that the device took for that of the place where it was', () => {
    const sets = placed(1);
    const answered = [
      scan(1, { leg: 'a', sets, result: result('location', { location: placed(5) }) }),
      scan(2, { leg: 'b', sets, result: result('location', { location: placed(1) }) }),
      scan(3, { leg: 'c', sets, result: result('unknown', { location: placed(1) }) }),
    ];
    expect([...learnedPlaces(answered)]).to.deep.equal([['a', placed(5)]]);
  });
});

describe('how long to wait after a failure', () => {
  it('doubles up to a minute, and differs from device to device', () => {
    expect([1, 2, 3, 6, 7, 60].map((failures) => backOff(failures, 1))).to.deep.equal([
      1_000, 2_000, 4_000, 32_000, 60_000, 60_000,
    ]);
    expect(backOff(3, 0)).to.equal(2_000);
  });
});
