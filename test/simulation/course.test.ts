import { expect } from 'chai';
import { AssetTruth } from '../../simulation/truth/asset-truth.ts';
import type { Seen, Stay } from '../../simulation/truth/course.ts';
import { micros } from '../support/mapping.ts';

describe('the course of an asset, as the simulator has it', () => {
  const at = (time: string) => micros(`2026-05-01T${time}Z`);
  const seen = (location: string, time: string, more: { until?: string; rssi?: number } = {}): Seen => ({
    location,
    earliest: at(time),
    latest: at(more.until ?? time),
    rssi: more.rssi ?? -60,
  });
  /** Locations rank by their letters. */
  const truthOf = (...reads: Seen[]) => {
    const truth = new AssetTruth((location) => location.charCodeAt(0));
    for (const read of reads) {
      truth.add(read);
    }
    return truth.conclude();
  };
  const staysOf = (...reads: Seen[]) =>
    truthOf(...reads).course.stays.map(({ location, since }: Stay) => [
      location,
      since.earliest,
      since.latest,
    ]);
  const exact = (location: string, time: string) => [location, at(time), at(time)];

  // The example of docs/tracking.md, in the order of arrival there.
  const EXAMPLE = [
    seen('A', '10:00:00.0'),
    seen('A', '10:05:00.0'),
    seen('B', '10:10:00.9'),
    seen('B', '10:02:00.0'),
    seen('A', '09:58:00.0'),
    seen('A', '10:05:00.0'),
  ];
  const COURSE = [
    exact('A', '09:58:00'),
    exact('B', '10:02:00'),
    exact('A', '10:05:00'),
    exact('B', '10:10:00.9'),
  ];

  it('is that of the worked example, in whatever order its reads are heard of', () => {
    expect(staysOf(...EXAMPLE)).to.deep.equal(COURSE);
    expect(staysOf(...EXAMPLE.toReversed())).to.deep.equal(COURSE);
    expect(truthOf(...EXAMPLE).course.lastSeen?.latest).to.equal(at('10:10:00.9'));
  });

  it('is the same when what nothing can go before any more is let go of meanwhile', () => {
    const truth = new AssetTruth(() => 0);
    for (const read of EXAMPLE.toSorted((a, b) => a.earliest - b.earliest)) {
      truth.add(read);
      truth.settle(read.earliest);
    }
    expect(truth.conclude().course.stays.map(({ since }) => since.earliest)).to.deep.equal(
      COURSE.map(([, since]) => since),
    );
  });

  it('takes of one instant the strongest read, then the location with the smallest id', () => {
    expect(staysOf(seen('A', '10:00:00', { rssi: -70 }), seen('B', '10:00:00', { rssi: -50 }))).to.deep.equal(
      [exact('B', '10:00:00')],
    );
    expect(staysOf(seen('B', '10:00:00'), seen('A', '10:00:00'))).to.deep.equal([exact('A', '10:00:00')]);
  });

  it('begins a stay within the bounds that its reads leave', () => {
    const reads = [
      seen('A', '10:00:00', { until: '10:00:05' }),
      seen('A', '10:00:02'),
      seen('B', '10:00:09', { until: '10:00:12' }),
    ];
    expect(staysOf(...reads)).to.deep.equal([
      ['A', at('10:00:00'), at('10:00:02')],
      ['B', at('10:00:09'), at('10:00:12')],
    ]);
    expect(truthOf(...reads).doubt).to.equal(null);
  });

  it('is not decided where it cannot be told which of two locations an asset was at first', () => {
    const between = seen('A', '10:00:00', { until: '10:00:05' });
    expect(truthOf(between, seen('B', '10:00:03')).doubt).to.equal('order');
    expect(truthOf(between, seen('A', '10:00:03'), seen('B', '10:00:04')).doubt).to.equal('order');
    expect(truthOf(between, seen('B', '10:00:05.000001')).doubt).to.equal(null);
  });

  it('is in doubt if a read of it may have arrived or not', () => {
    const truth = new AssetTruth(() => 0);
    truth.doubt();
    expect(truth.conclude().doubt).to.equal('unacknowledged');
  });
});
