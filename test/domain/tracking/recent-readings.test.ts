import { expect } from 'chai';
import { MICROS_PER_SECOND } from '../../../base/instant.ts';
import { RecentReadings } from '../../../domain/tracking/recent-readings.ts';

const NOON = Date.UTC(2026, 5, 1, 12) * 1_000;
const YEAR = 365 * 86_400 * MICROS_PER_SECOND;

describe('the newest values of tags that a process remembers', () => {
  it('are written once in a minute while they stay the same', () => {
    const write = writerOf(new RecentReadings());
    expect([0, 24, 59, 60, 84].map((seconds) => write(seconds, 5))).to.deep.equal([
      true,
      false,
      false,
      true,
      false,
    ]);
  });

  it('are written at once when they change, but not when they are older', () => {
    const write = writerOf(new RecentReadings());
    expect([write(0, 5), write(2, 6), write(1, 7), write(3, 6)]).to.deep.equal([true, true, false, false]);
  });

  it('are written again after a clock that was a year ahead', () => {
    const write = writerOf(new RecentReadings());
    write(YEAR / MICROS_PER_SECOND, 5);
    expect([write(0, 5), write(1, 5), write(61, 6)]).to.deep.equal([true, false, true]);
  });

  it('are of each tag by itself, also where there are more tags than it remembers', () => {
    const write = writerOf(new RecentReadings());
    for (let tag = 1; tag <= 20_000; tag++) {
      write(0, 5, tag);
    }
    expect([write(1, 7, 20_001), write(2, 7, 20_001)]).to.deep.equal([true, false]);
    expect([write(2, 7, 1), write(3, 7, 1), write(2, 5, 2)]).to.deep.equal([true, false, false]);
  });
});

/** Whether a temperature of a tag, so many seconds after noon, is written. */
function writerOf(recent: RecentReadings): (seconds: number, value: number, tagId?: number) => boolean {
  return (seconds, value, tagId = 3) => {
    const observedAt = NOON + seconds * MICROS_PER_SECOND;
    const transaction = recent.begin();
    const reading = { orgId: 1, assetId: 2, tagId, observedAt, readings: { temperature_c: value } };
    const isWritten = transaction.choose([reading], new Set()).length > 0;
    transaction.commit();
    return isWritten;
  };
}
