import { expect } from 'chai';
import { rangeOf, type Span } from '../../../clients/console-app/src/screens/reports/spans.ts';

/** Runs it where the device's zone is another one. */
function inZone<Result>(zone: string, work: () => Result): Result {
  const { TZ } = process.env;
  process.env['TZ'] = zone;
  try {
    return work();
  } finally {
    if (TZ === undefined) {
      delete process.env['TZ'];
    } else {
      process.env['TZ'] = TZ;
    }
  }
}

function textOf(zone: string, span: Span, now: string): string[] {
  const { from, to } = inZone(zone, () => rangeOf(span, Date.parse(now)));
  return [from, to].map((at) => new Date(at).toISOString().slice(0, 16));
}

describe('the windows of reports', () => {
  it('begin days and months in the viewer’s zone, also where a day has 23 or 25 hours', () => {
    expect(textOf('Europe/Berlin', 'yesterday', '2026-03-30T10:00:00Z')).to.deep.equal([
      '2026-03-28T23:00',
      '2026-03-29T22:00',
    ]);
    expect(textOf('Europe/Berlin', 'today', '2026-10-25T10:00:00Z')).to.deep.equal([
      '2026-10-24T22:00',
      '2026-10-25T10:00',
    ]);
    expect(textOf('America/Los_Angeles', 'lastMonth', '2026-04-01T01:00:00Z')).to.deep.equal([
      '2026-02-01T08:00',
      '2026-03-01T08:00',
    ]);
    expect(textOf('Asia/Kolkata', 'thisMonth', '2026-01-31T20:00:00Z')).to.deep.equal([
      '2026-01-31T18:30',
      '2026-01-31T20:00',
    ]);
  });

  it('go back by whole days from now', () => {
    expect(textOf('UTC', 'days7', '2026-01-03T10:00:00Z')).to.deep.equal([
      '2025-12-27T10:00',
      '2026-01-03T10:00',
    ]);
    expect(textOf('UTC', 'days30', '2026-01-31T10:00:00Z')).to.deep.equal([
      '2026-01-01T10:00',
      '2026-01-31T10:00',
    ]);
  });
});
