import { expect } from 'chai';
import {
  nextAttemptIn,
  readRetryAfter,
  restAfter,
} from '../../../../domain/webhooks/sending/retry-ladder.ts';

describe('the next attempt', () => {
  const HOUR = 3_600;

  it('comes after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, and none after that', () => {
    const steps = Array.from({ length: 10 }, (_, index) => nextAttemptIn(index + 1, null, 0));
    expect(steps).to.deep.equal([
      5,
      300,
      1_800,
      ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR),
      null,
    ]);
  });

  it('comes up to a fifth later, at random', () => {
    expect(nextAttemptIn(2, null, 1)).to.equal(360);
    expect(nextAttemptIn(2, null, 0.5)).to.equal(330);
  });

  it('comes no sooner than the receiver asked for, within a day', () => {
    expect(nextAttemptIn(1, 120, 0)).to.equal(120);
    expect(nextAttemptIn(3, 120, 0)).to.equal(1_800);
    expect(nextAttemptIn(1, 1e9, 0)).to.equal(24 * HOUR);
  });

  it('comes 5 s after an endless answer, twice as late each time, up to 5 min', () => {
    expect([0, 1, 2, 3, 6, 7, 1_000].map((count) => restAfter(count))).to.deep.equal([
      0, 5, 10, 20, 160, 300, 300,
    ]);
  });

  it('reads Retry-After as seconds or as a date, and ignores what is neither', () => {
    const now = Date.parse('2026-05-04T08:00:00Z');
    expect(readRetryAfter('120', now)).to.equal(120);
    expect(readRetryAfter('Mon, 04 May 2026 08:01:00 GMT', now)).to.equal(60);
    expect(readRetryAfter('Mon, 04 May 2026 07:00:00 GMT', now)).to.equal(0);
    for (const text of ['', '-5', '1e3', 'soon', '2026-05-04', undefined]) {
      expect(readRetryAfter(text, now), text).to.equal(null);
    }
  });
});
