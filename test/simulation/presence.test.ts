import { expect } from 'chai';
import { type AlertAnswer, compareAlerts } from '../../simulation/presence/compare-alerts.ts';
import { comparePresence, type PresenceAnswer } from '../../simulation/presence/compare-presence.ts';
import { PresenceOracle } from '../../simulation/presence/oracle.ts';
import type { AssetDocument } from '../../simulation/truth/document.ts';
import type { PresenceDocument } from '../../simulation/truth/presence-document.ts';

const START = Date.parse('2026-05-01T10:00:00.000Z');
const time = (seconds: number) => new Date(START + seconds * 1_000).toISOString();

/** Read again within 10 s, missed after 30. Reader A is dead from 100 s on, B kept what it read from 100 to 200 s. */
const SITE: PresenceDocument = {
  from: time(0),
  until: time(400),
  max_gap_seconds: 30,
  expected_seconds: 15,
  reread_seconds: 10,
  continuous: ['A', 'B', 'C', 'D'].map((name) => ({ location: `AT-${name}`, reader: name })),
  rules: {
    overdue: { id: 'OVERDUE', after_seconds: 30, then_seconds: 60 },
    reader: { id: 'READER', after_seconds: 5 },
  },
  assets: [],
  readers: [
    { reader: 'A', clock_ahead_seconds: 0, down: [{ from: time(100), until: null, kept: false }] },
    { reader: 'B', clock_ahead_seconds: 0, down: [{ from: time(100), until: time(200), kept: true }] },
    { reader: 'C', clock_ahead_seconds: 0, down: [{ from: time(100), until: time(200), kept: false }] },
    { reader: 'D', clock_ahead_seconds: -7_200, down: [] },
  ],
};

describe('what may be said of the presence of assets', () => {
  const oracle = new PresenceOracle(SITE, { overlap: false });
  const seenAt = (location: string): AssetDocument => ({
    asset: 'PALLET',
    undecided: null,
    current: { location, last_seen: time(50) },
    history: [{ at: time(0), location, duration_seconds: null }],
  });
  const expected = (location: string, until: number | null, at: number) =>
    oracle.expect(
      seenAt(location),
      [{ location, from: time(0), until: until === null ? null : time(until) }],
      START + at * 1_000,
    );

  const CASES: [string, location: string, until: number | null, at: number, states: string | null][] = [
    ['is there and read', 'AT-C', null, 90, 'present'],
    ['is there, and its reader died just now', 'AT-A', null, 110, 'present unknown'],
    ['is there, and its reader is dead', 'AT-A', null, 140, 'unknown'],
    ['is there, and its reader kept what it read', 'AT-B', null, 150, 'present'],
    ['is there, and its reader is back', 'AT-C', null, 230, 'present'],
    ['was taken just now', 'AT-C', 60, 70, 'present unknown'],
    ['was taken, and is about to be missed', 'AT-C', 60, 85, 'present unknown overdue missing'],
    ['was taken, and would have been read again', 'AT-C', 50, 95, 'overdue missing'],
    ['was taken, and its reader died soon after', 'AT-A', 95, 300, 'present unknown'],
    ['was taken while its reader was silent, which is back', 'AT-C', 150, 250, 'overdue missing'],
    ['is there, and its reader has a clock that is behind', 'AT-D', null, 90, 'present unknown'],
    ['is where things only pass', 'GATE', 10, 300, 'present'],
  ];
  for (const [what, location, until, at, states] of CASES) {
    it(`is ${states} if it ${what}`, () => {
      expect(expected(location, until, at)?.states.join(' ') ?? null).to.equal(states);
    });
  }

  it('is never seen before it was, and nobody can tell around a move', () => {
    const later = {
      ...seenAt('AT-C'),
      history: [{ at: time(80), location: 'AT-C', duration_seconds: null }],
    };
    expect(oracle.expect(later, [], START + 50_000)?.states).to.deep.equal(['never_seen']);
    expect(oracle.expect(later, [], START + 79_000)).to.equal(null);
  });

  it('is compared with what is said: state and reason, and thefts with since when they are overdue', () => {
    const there = [{ location: 'AT-A', from: time(0), until: null }];
    const site = {
      ...SITE,
      assets: [
        { asset: 'PALLET', taken_at: null, there },
        {
          asset: 'STOLEN',
          taken_at: time(200),
          there: [{ location: 'AT-C', from: time(0), until: time(200) }],
        },
      ],
    };
    const truths = [seenAt('AT-A'), { ...seenAt('AT-C'), asset: 'STOLEN' }];
    const compared = (...answers: PresenceAnswer[]) =>
      comparePresence(site, truths, { overlap: false, answers: new Map([[START + 300_000, answers]]) });
    const unknown: PresenceAnswer = { asset: 'PALLET', state: 'unknown', since: null, reader: 'A' };
    const overdue: PresenceAnswer = {
      asset: 'STOLEN',
      state: 'overdue',
      since: START + 225_000,
      reader: null,
    };
    expect(compared(unknown, overdue)).to.deep.equal({
      compared: 2,
      states: { unknown: 1, overdue: 1 },
      thefts: [{ asset: 'STOLEN', taken_at: time(200), found_after_seconds: 25 }],
      differences: [],
    });
    const wrong = compared({ ...unknown, state: 'overdue', reader: null }, { ...overdue, state: 'present' });
    expect(wrong.differences.map(({ truth, answer }) => [truth, answer])).to.deep.equal([
      ['unknown because of A', 'overdue'],
      ['overdue or missing', 'present'],
    ]);
    expect(wrong.thefts[0]?.found_after_seconds).to.equal(null);
    expect(compared({ ...unknown, reader: 'B' }).differences).to.have.length(2);
  });

  describe('of its alerts', () => {
    const at = (seconds: number) => START + seconds * 1_000;
    const site = {
      ...SITE,
      assets: [
        { asset: 'PALLET', taken_at: null, there: [{ location: 'AT-A', from: time(0), until: null }] },
        {
          asset: 'STOLEN',
          taken_at: time(220),
          there: [{ location: 'AT-C', from: time(0), until: time(220) }],
        },
      ],
    };
    const truths = [seenAt('AT-A'), { ...seenAt('AT-C'), asset: 'STOLEN' }];
    const alert = (
      of: string,
      rule: string,
      opened: number,
      given: Partial<AlertAnswer> = {},
    ): AlertAnswer => ({
      ...{ of, rule, state: 'open', openedAt: at(opened), recordedAt: at(opened + 2) },
      ...{ closedAt: null, isMissing: true, ...given },
    });
    const closed = (until: number): Partial<AlertAnswer> => ({ state: 'closed', closedAt: at(until) });
    const THEFT = alert('STOLEN', 'OVERDUE', 245);
    const READERS = [
      alert('A', 'READER', 120),
      alert('B', 'READER', 105, closed(201)),
      alert('C', 'READER', 120, closed(201)),
    ];
    const differences = (...answers: AlertAnswer[]) =>
      compareAlerts(site, truths, { rules: site.rules, overlap: false, answers }).differences.map(
        ({ of }) => of,
      );

    it('agrees where each theft and each reader that was down has one, in time', () => {
      expect(differences(THEFT, ...READERS)).to.deep.equal([]);
      expect(differences(THEFT, ...READERS, alert('B', 'READER', 410))).to.deep.equal([]);
    });

    const WRONG: [string, AlertAnswer[], of: string][] = [
      ['a theft has none', READERS, 'STOLEN'],
      ['a theft has two', [THEFT, alert('STOLEN', 'OVERDUE', 300), ...READERS], 'STOLEN'],
      ['a theft is found late', [{ ...THEFT, recordedAt: at(330) }, ...READERS], 'STOLEN'],
      ['a theft never counts as missing', [{ ...THEFT, isMissing: false }, ...READERS], 'STOLEN'],
      ['a theft is over', [{ ...THEFT, ...closed(300) }, ...READERS], 'STOLEN'],
      ['what a dead reader sees is missed', [THEFT, ...READERS, alert('PALLET', 'OVERDUE', 200)], 'PALLET'],
      ['a dead reader has none', [THEFT, ...READERS.slice(1)], 'A'],
      ['a dead reader has one late', [THEFT, alert('A', 'READER', 140), ...READERS.slice(1)], 'A'],
      ['a reader has one though it is up', [THEFT, ...READERS, alert('D', 'READER', 50)], 'D'],
      [
        'that of a reader that is back goes on',
        [THEFT, ...READERS.slice(0, 2), alert('C', 'READER', 120)],
        'C',
      ],
      [
        'that of a reader is withdrawn by what it sent later',
        [THEFT, ...READERS.filter(({ of }) => of !== 'B'), alert('B', 'READER', 105, { state: 'withdrawn' })],
        'B',
      ],
    ];
    for (const [what, answers, of] of WRONG) {
      it(`tells where ${what}`, () => {
        expect(new Set(differences(...answers))).to.deep.equal(new Set([of]));
      });
    }
  });
});
