import { expect } from 'chai';
import { MICROS_PER_DAY, MICROS_PER_SECOND } from '../../../base/instant.ts';
import { observedAt } from '../../../domain/tracking/observed-at.ts';

const RULES = { lateness: 30 * MICROS_PER_DAY, retention: 40 * MICROS_PER_DAY };
const RECEIVED = Date.UTC(2026, 4, 1, 10) * 1_000;
const at = (deviceTime: number | null, now = RECEIVED) =>
  observedAt({ deviceTime, receivedAt: RECEIVED }, now, RULES);

describe('when a scan was observed', () => {
  const second = MICROS_PER_SECOND;
  it('is the device time, up to two minutes ahead of the reception', () => {
    for (const deviceTime of [RECEIVED - 5 * second, RECEIVED, RECEIVED + 120 * second]) {
      expect(at(deviceTime)).to.deep.equal({ ok: true, observedAt: deviceTime, timeIsReceived: false });
    }
  });

  const none: [string, number | null][] = [
    ['has none', null],
    ['is further ahead', RECEIVED + 120 * second + 1],
    ['is not set', 1_017 * second],
    ['says 2014', Date.UTC(2015, 0, 1) * 1_000 - 1],
    ['says 2101', Date.UTC(2101, 0, 1) * 1_000],
  ];
  for (const [what, deviceTime] of none) {
    it(`is the reception, flagged, where the device's clock ${what}`, () => {
      expect(at(deviceTime)).to.deep.equal({ ok: true, observedAt: RECEIVED, timeIsReceived: true });
    });
  }

  it('must not lie further back than the lateness bound', () => {
    const bound = RECEIVED - 30 * MICROS_PER_DAY;
    expect(at(bound)).to.have.property('ok', true);
    const late = at(bound - 1);
    expect(late).to.have.property('ok', false);
    expect(late).to.have.property('reason').that.includes('too late').and.includes('the bound is 30 days');
  });

  it('must not lie before the raw scans that are kept, also when it is recorded long after the reception', () => {
    expect(at(RECEIVED, RECEIVED + 40 * MICROS_PER_DAY)).to.have.property('ok', true);
    expect(at(RECEIVED, RECEIVED + 40 * MICROS_PER_DAY + 1)).to.have.property('ok', false);
    expect(at(null, RECEIVED + 40 * MICROS_PER_DAY + 1)).to.have.property('ok', false);
  });
});
