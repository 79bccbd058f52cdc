import { expect } from 'chai';
import { compare } from '../../simulation/compare.ts';
import type { AssetRecord } from '../../simulation/truth/asset-record.ts';
import type { AssetDocument } from '../../simulation/truth/document.ts';
import { settled } from '../../simulation/truth/settled.ts';

describe('a truth that is known within bounds', () => {
  const truth: AssetDocument = {
    asset: 'SIM-BADGE-001',
    undecided: null,
    current: {
      location: 'SIM-GATE-1',
      last_seen: '2026-05-01T10:10:00.000Z',
      last_seen_latest: '2026-05-01T10:10:04.000Z',
    },
    history: [
      { at: '2026-05-01T10:00:00.000Z', location: 'SIM-DOCK-1', duration_seconds: null },
      {
        at: '2026-05-01T10:09:00.000Z',
        at_latest: '2026-05-01T10:09:04.000Z',
        location: 'SIM-GATE-1',
        duration_seconds: 540,
        duration_seconds_most: 544,
      },
    ],
  };
  const answer = (lastSeen: string, at: string, durationSeconds: number): AssetRecord => ({
    asset: 'SIM-BADGE-001',
    current: { location: 'SIM-GATE-1', lastSeen: `2026-05-01T${lastSeen}Z` },
    history: [
      { at: '2026-05-01T10:00:00.000Z', location: 'SIM-DOCK-1', durationSeconds: null },
      { at: `2026-05-01T${at}Z`, location: 'SIM-GATE-1', durationSeconds },
    ],
  });
  const differences = (said: AssetRecord) => compare([settled(truth, said)], [said]).map(({ what }) => what);

  it('agrees with whatever is within them', () => {
    expect(differences(answer('10:10:00.000', '10:09:00.000', 540))).to.deep.equal([]);
    expect(differences(answer('10:10:03.210', '10:09:01.500', 541))).to.deep.equal([]);
    expect(differences(answer('10:10:04.000', '10:09:04.000', 544))).to.deep.equal([]);
  });

  it('does not agree with what is beyond', () => {
    expect(differences(answer('10:10:04.001', '10:09:00.000', 540))).to.deep.equal(['last seen']);
    expect(differences(answer('10:10:00.000', '10:09:04.001', 544))).to.deep.equal([
      'history row',
      'history row',
    ]);
    expect(differences(answer('10:10:00.000', '10:09:04.000', 545))).to.deep.equal(['history row']);
  });

  it('does not agree with less, or with nothing', () => {
    const less = answer('10:10:00.000', '10:09:00.000', 540);
    expect(differences({ ...less, history: less.history.slice(0, 1) })).to.deep.equal(['history row']);
    expect(compare([settled(truth, undefined)], []).map(({ what }) => what)).to.deep.equal(['asset']);
  });
});
