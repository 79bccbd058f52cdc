import { expect } from 'chai';
import type { Reader } from '../../../clients/console-app/src/api/types.ts';
import { perMinute } from '../../../clients/console-app/src/screens/readers/per-minute.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const TEXTS = { perMinute: (rate: number) => `${rate} / min` } as Parameters<typeof perMinute>[1];

describe('messages of a reader per minute', () => {
  const rate = (messages: number, lasted: number, ago = 0) => {
    const at = (seconds: number) => new Date(NOW - seconds * 1_000).toISOString();
    const stretch = { since: at(ago + lasted), until: at(ago), messages };
    return perMinute({ stretch } as Reader, TEXTS, NOW);
  };

  it('are those of the last minute, however quickly they came', () => {
    expect(rate(12, 1)).to.equal('12 / min');
    expect(rate(1, 0)).to.equal('1 / min');
  });

  it('are the mean of a longer stretch, and none after a minute of silence', () => {
    expect(rate(600, 300)).to.equal('120 / min');
    expect(rate(600, 300, 61)).to.equal('0 / min');
    expect(perMinute({ stretch: null } as Reader, TEXTS, NOW)).to.equal('–');
  });
});
