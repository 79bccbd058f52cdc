import { expect } from 'chai';
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
