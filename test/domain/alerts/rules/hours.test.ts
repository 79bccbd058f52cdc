import { expect } from 'chai';
import { periods } from '../../../../domain/alerts/rules/hours.ts';
import { parseHours } from '../../../../domain/alerts/rules/hours-text.ts';
import { Random } from '../../../support/random.ts';

const MINUTE = 60_000_000;
const micros = (time: string) => Date.parse(time) * 1_000;

function hours(text: string, timeZone = 'Europe/Berlin') {
  const weekly = parseHours(text);
  if (weekly === null) {
    throw new Error(`${text} are no hours`);
  }
  return { timeZone, weekly };
}

const shown = (text: string, since: string, until: string) =>
  periods(hours(text), { since: micros(since), until: micros(until) }).map((period) =>
    [period.since, period.until].map((at) => new Date(at / 1_000).toISOString().slice(5, 16)),
  );

describe('working hours', () => {
  it('are read from text', () => {
    expect(parseHours('Mon-Tue 07:00-18:00, Sun 22:00-06:00')).to.deep.equal([
      { day: 0, from: 420, until: 1_080 },
      { day: 1, from: 420, until: 1_080 },
      { day: 6, from: 1_320, until: 1_440 },
      { day: 0, from: 0, until: 360 },
    ]);
    expect(parseHours('Sat-Mon 00:00-24:00')?.map(({ day }) => day)).to.deep.equal([5, 6, 0]);
    // As people write in German, and as their word processors do.
    expect(parseHours('Mo–Fr 07:00–18:00, So 08:00-12:00')).to.deep.equal(
      parseHours('Mon-Fri 07:00-18:00, Sun 08:00-12:00'),
    );
    expect(parseHours('Mon 22:00-00:00')).to.deep.equal([{ day: 0, from: 1_320, until: 1_440 }]);
  });

  it('are refused where they say nothing, or nothing that there is', () => {
    const wrong = [
      '',
      'Mon',
      'Mon 7:00-18:00',
      'Mon 07:00-07:00',
      'Mon 24:00-25:00',
      'Mon 07:00-18:60',
      'Monday 07:00-08:00',
    ];
    const long = Array.from({ length: 21 }, () => 'Mon 07:00-08:00').join();
    expect([...wrong, 'Mon 07:00-08:00,', long].map(parseHours)).to.deep.equal(Array(9).fill(null));
  });

  it('begin and end by the clock on the wall, also on days when it is set', () => {
    expect(shown('Mon-Fri 07:00-18:00', '2026-03-27T00:00:00Z', '2026-03-30T12:00:00Z')).to.deep.equal([
      ['03-27T06:00', '03-27T17:00'],
      ['03-30T05:00', '03-30T12:00'],
    ]);
    // 02:00 to 03:00 is skipped, and in autumn there twice.
    expect(shown('Sat 22:00-06:00', '2026-03-28T12:00:00Z', '2026-03-29T12:00:00Z')).to.deep.equal([
      ['03-28T21:00', '03-29T04:00'],
    ]);
    expect(shown('Sun 02:15-02:45', '2026-03-29T00:00:00Z', '2026-03-30T00:00:00Z')).to.deep.equal([]);
    expect(shown('Sun 02:15-02:45', '2026-10-25T00:00:00Z', '2026-10-26T00:00:00Z')).to.deep.equal([
      ['10-25T00:15', '10-25T00:45'],
      ['10-25T01:15', '10-25T01:45'],
    ]);
  });

  it('last through midnight without a pause', () => {
    expect(shown('Mon-Sun 00:00-24:00', '2026-10-20T00:00:00Z', '2026-11-20T00:00:00Z')).to.deep.equal([
      ['10-20T00:00', '11-20T00:00'],
    ]);
  });

  it('are those of a calendar read minute by minute', () => {
    const zones = [
      'Europe/Berlin',
      'America/New_York',
      'Australia/Lord_Howe',
      'Asia/Kathmandu',
      '-09:30',
      'UTC',
    ];
    const settings = ['2026-03-08', '2026-03-29', '2026-04-05', '2026-10-04', '2026-10-25', '2026-11-01'];
    for (let index = 0; index < 100; index += 1) {
      const random = new Random(7, index);
      const timeZone = random.pick(zones);
      const weekly = randomParts(random);
      const since = micros(`${random.pick(settings)}T00:00:00Z`) - random.below(2_880) * MINUTE;
      const window = { since, until: since + random.below(3 * 1_440) * MINUTE };
      const told = periods({ timeZone, weekly }, window);
      expect(told, JSON.stringify({ timeZone, weekly, window })).to.deep.equal(
        minuteByMinute(timeZone, weekly, window),
      );
    }
  });
});

type Parts = NonNullable<ReturnType<typeof parseHours>>;

function randomParts(random: Random): Parts {
  return Array.from({ length: random.below(12) }, () => {
    const from = random.below(1_440);
    return { day: random.below(7), from, until: from + 1 + random.below(1_440 - from) };
  });
}

function minuteByMinute(timeZone: string, weekly: Parts, window: { since: number; until: number }) {
  const isOpen = wallSays(timeZone);
  const found: { since: number; until: number }[] = [];
  for (let at = window.since; at < window.until; at += MINUTE) {
    const last = found.at(-1);
    if (isOpen(weekly, at)) {
      if (last?.until === at) {
        last.until = at + MINUTE;
      } else {
        found.push({ since: at, until: at + MINUTE });
      }
    }
  }
  return found;
}

function wallSays(timeZone: string): (weekly: Parts, at: number) => boolean {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    ...{ weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  });
  return (weekly, at) => {
    const parts = Object.fromEntries(
      format.formatToParts(at / 1_000).map(({ type, value }) => [type, value]),
    );
    const day = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'].indexOf(parts['weekday'] ?? '');
    const minute = Number(parts['hour']) * 60 + Number(parts['minute']);
    return weekly.some((part) => part.day === day && part.from <= minute && minute < part.until);
  };
}
