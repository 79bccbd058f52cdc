import { expect } from 'chai';
import { provenScans, type Seen } from '../../../../domain/tracking/smoothing/counting.ts';
import type { Stretch } from '../../../../domain/tracking/smoothing/load-stretches.ts';
import { SmoothingSettings } from '../../../../domain/tracking/smoothing/settings.ts';
import { smoothedNeighbourhoods } from '../../../../domain/tracking/smoothing/smoothed-neighbourhoods.ts';
import { START } from '../../../support/sightings.ts';

const SECOND = 1_000_000;

describe('a batch of many assets, each with thousands of scans in its window', () => {
  it('is read some ten thousand scans at a time', async () => {
    const SCANS = 10_000;
    const window = 600 * SECOND;
    const settings = new SmoothingSettings([
      { locationId: null, validFrom: 0, smoothing: { window, minimum: window, margin: null } },
    ]);
    const asked: number[] = [];
    const scansOf = ({ from, to }: Stretch) =>
      Array.from({ length: SCANS }, (_, index) => ({
        observedAt: from + Math.floor(((to - from) * index) / SCANS),
        locationId: 1 + (index % 2),
        rssi: null,
        isByPerson: false,
      }));
    const stored = {
      scans: async (stretches: readonly Stretch[]) => {
        asked.push(stretches.length);
        return stretches.map(scansOf);
      },
      transitions: async (stretches: readonly Stretch[]) => stretches.map(() => []),
      scansAhead: async (stretches: readonly Stretch[]) => stretches.map(() => null),
    };
    const assets = Array.from({ length: 40 }, (_, index) => {
      return { orgId: 1, assetId: index + 1, changed: [START], lastSeen: START, settings, reach: window };
    });
    const neighbourhoods = await smoothedNeighbourhoods(stored, assets);
    expect(neighbourhoods.size).to.equal(assets.length);
    expect(asked.reduce((sum, count) => sum + count, 0)).to.equal(assets.length);
    expect(Math.max(...asked) * SCANS).to.be.at.most(100_000);
  });
});

describe('an asset that is read at many locations within its window', () => {
  const settings = new SmoothingSettings([
    { locationId: null, validFrom: 0, smoothing: { window: 600 * SECOND, minimum: null, margin: 6 } },
  ]);
  /** Read at each location once, then at two of them in turn. */
  const scansAt = (locations: number, count: number): Seen[] =>
    Array.from({ length: count }, (_, index) => ({
      observedAt: START + index,
      locationId: index < locations ? index : index % 2,
      rssi: index < locations ? -90 : -40 - (index % 7) / 10,
      isByPerson: false,
    }));
  const costOf = async (scans: readonly Seen[]) => {
    const before = process.cpuUsage();
    await provenScans(scans, settings);
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };

  it('takes about as long as where they are few', async () => {
    const [few, many] = [scansAt(2, 30_000), scansAt(3_000, 30_000)];
    await costOf(few);
    // The least of three: others share the processor. Going through all locations took a hundred times as long.
    const least = async (scans: readonly Seen[]) =>
      Math.min(await costOf(scans), await costOf(scans), await costOf(scans));
    expect((await least(many)) / (await least(few))).to.be.below(10);
  });

  it('leaves the loop to others in between', async () => {
    let turns = 0;
    let isDone = false;
    const count = () => {
      turns += 1;
      if (!isDone) {
        setImmediate(count);
      }
    };
    setImmediate(count);
    await provenScans(scansAt(3_000, 200_000), settings);
    isDone = true;
    expect(turns).to.be.at.least(10);
  });
});
