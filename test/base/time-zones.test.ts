import { expect } from 'chai';
import { timeZoneNamed } from '../../base/time-zones.ts';

describe('time zones', () => {
  it('are those that there are', () => {
    expect([timeZoneNamed('Europe/Berlin'), timeZoneNamed('+02:00')]).to.deep.equal([
      'Europe/Berlin',
      '+02:00',
    ]);
    expect(['', 'Mars/Base', 'Europe/Berlin ', '25:00'].map(timeZoneNamed)).to.deep.equal([
      null,
      null,
      null,
      null,
    ]);
  });
});
