import { expect } from 'chai';
import { isAway, noteActivity } from '../../../clients/console-app/src/api/activity.ts';

const MINUTE = 60_000;

describe('the activity of a console page', () => {
  it('is over a minute after the last touch, until the next', () => {
    const start = Date.UTC(2026, 4, 4, 8);
    noteActivity(start);
    expect(isAway(start + MINUTE)).to.equal(false);
    expect(isAway(start + MINUTE + 1)).to.equal(true);
    noteActivity(start + 10 * MINUTE);
    expect(isAway(start + 11 * MINUTE)).to.equal(false);
  });
});
