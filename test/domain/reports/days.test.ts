import { expect } from 'chai';
import { daysAtMost, daysOf } from '../../../domain/reports/days.ts';

const HOUR = 3_600_000_000;
const micros = (time: string) => Date.parse(time) * 1_000;

describe('the days of a window', () => {
  const hours = (from: string, to: string, timeZone: string) => {
    const { names, starts } = daysOf({ from: micros(from), to: micros(to) }, timeZone);
    expect(starts).to.have.length(names.length + 1);
    return names.map((name, index) => [name, ((starts[index + 1] ?? 0) - (starts[index] ?? 0)) / HOUR]);
  };

  it('are 23 and 25 hours long when clocks are set, and none when a day is skipped', () => {
    expect(hours('2025-03-29T12:00:00Z', '2025-03-30T22:00:00Z', 'Europe/Berlin')).to.deep.equal([
      ['2025-03-29', 24],
      ['2025-03-30', 23],
    ]);
    expect(hours('2025-10-25T22:00:00Z', '2025-10-27T00:00:00Z', 'Europe/Berlin')).to.deep.equal([
      ['2025-10-26', 25],
      ['2025-10-27', 24],
    ]);
    // At midnight.
    expect(hours('2018-11-04T12:00:00Z', '2018-11-04T13:00:00Z', 'America/Sao_Paulo')).to.deep.equal([
      ['2018-11-04', 23],
    ]);
    expect(hours('2011-12-29T12:00:00Z', '2011-12-30T12:00:00Z', 'Pacific/Apia')).to.deep.equal([
      ['2011-12-29', 24],
      ['2011-12-30', 0],
      ['2011-12-31', 24],
    ]);
  });

  it('begin with the first instant that has their date, in every time zone of two years', () => {
    for (const timeZone of Intl.supportedValuesOf('timeZone').filter((_, index) => index % 7 === 0)) {
      const window = { from: micros('2024-01-01T00:00:00Z'), to: micros('2026-01-01T00:00:00Z') };
      const { names, starts } = daysOf(window, timeZone);
      const format = new Intl.DateTimeFormat('sv-SE', { timeZone });
      names.forEach((name, index) => {
        const start = (starts[index] ?? 0) / 1_000;
        expect([format.format(start - 1) < name, format.format(start)], timeZone).to.deep.equal([true, name]);
      });
      expect(starts[0]).to.be.at.most(window.from);
      expect(starts.at(-1)).to.be.at.least(window.to);
      expect(names.length).to.be.at.most(daysAtMost(window));
    }
  });
});
