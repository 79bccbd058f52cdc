import { expect } from 'chai';
import { isMoved, onlyAdded } from '../../../../domain/tracking/feed/unsealed-move.ts';

describe('a change of a history', () => {
  const last = { observedAt: 20, locationId: 2, durationSeconds: 0 };
  const stay = { locationId: last.locationId, since: last.observedAt };
  const change = {
    orgId: 1,
    assetId: 1,
    recordedAt: 30,
    before: { locationId: 1, since: 10 },
    stay,
    lastSeen: 20,
    rows: onlyAdded([last]),
  };

  it('is a move if a row came to the end of the history, the first one too', () => {
    expect(isMoved(change)).to.equal(true);
    expect(isMoved({ ...change, before: null })).to.equal(true);
  });

  it('is none if a row came before the last, or more came, or the asset was there already', () => {
    const earlier = { ...last, observedAt: 15 };
    expect(isMoved({ ...change, rows: onlyAdded([earlier]) })).to.equal(false);
    expect(isMoved({ ...change, rows: onlyAdded([earlier, last]) })).to.equal(false);
    expect(isMoved({ ...change, rows: { ...change.rows, removed: [earlier] } })).to.equal(false);
    // So a history that was there before the feed began is told, if it has one row only.
    expect(isMoved({ ...change, before: stay })).to.equal(false);
  });
});
