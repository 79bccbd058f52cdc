import { expect } from 'chai';
import {
  type AssetEvidence,
  pathKey,
  type ReaderEvidence,
} from '../../../../domain/alerts/conditions/evidence.ts';
import { nextLook } from '../../../../domain/alerts/conditions/next-look.ts';
import { stretchesOf } from '../../../../domain/alerts/conditions/rule-kinds.ts';
import { type SharedEvidence, Surroundings } from '../../../../domain/alerts/conditions/surroundings.ts';
import type { DatedRule } from '../../../../domain/alerts/rules/rule.ts';
import type { DatedWatch } from '../../../../domain/presence/coverage/watches.ts';
import { ruleOf as rule } from './rule-of.ts';

const [HALL, DOCK, YARD] = [1, 2, 3];
const EVER = Number.POSITIVE_INFINITY;
const ALWAYS = [{ since: -EVER, until: EVER }];

const asset = (fields: Partial<AssetEvidence>): AssetEvidence => ({
  ...{ assetId: 7, until: EVER, stays: [], unread: [], missedBy: [], described: new Map() },
  ...fields,
});

/** The dock is in the hall, the yard is not; each has one reader, 1 in the hall and so on. */
function around(
  until: number,
  shared: Partial<SharedEvidence> = {},
  watch: Partial<DatedWatch> = {},
): Surroundings {
  const times = [{ since: 0, until: 50 }];
  const listening = new Map([HALL, DOCK, YARD].map((id) => [id, { proven: times, taken: times }]));
  return new Surroundings({
    window: { since: 0, until },
    coveredFrom: 0,
    subtrees: new Map([
      [HALL, new Map([HALL, DOCK].map((id) => [id, ALWAYS]))],
      [DOCK, new Map([[DOCK, ALWAYS]])],
    ]),
    places: new Map(
      [HALL, DOCK, YARD].map((id) => [
        id,
        {
          watches: [{ from: -EVER, mode: 'continuous', maxGap: 20, coverage: 'all', ...watch }],
          antennas: [{ readerId: id, since: 0, until: EVER }],
          ...{ listening, swept: [] },
        },
      ]),
    ),
    ...shared,
  });
}

const said = (rules: readonly DatedRule[], subject: AssetEvidence | ReaderEvidence, site: Surroundings) =>
  stretchesOf(rules, subject, site).map(({ since, until, level, alarmSince }) => ({
    ...{ since, until },
    ...(level === null ? {} : { level }),
    ...(alarmSince === null ? {} : { alarmSince }),
  }));

const MOVES = [
  { locationId: HALL, since: 10, until: 20 },
  { locationId: DOCK, since: 20, until: 40 },
  { locationId: YARD, since: 40, until: 60 },
  { locationId: DOCK, since: 60, until: EVER },
];

describe('the stretches in which a condition holds', () => {
  describe('of an asset that is not read', () => {
    const overdue = rule({ kind: 'overdue', after: 15, thenAfter: 30 });
    const unread = asset({
      stays: MOVES,
      unread: [
        { since: 12, until: 20 },
        { since: 60, until: EVER },
      ],
    });

    it('begin when its place was covered for so long, and last while nobody listens', () => {
      const seen = asset({ stays: MOVES, unread: [{ since: 20, until: 90 }] });
      expect(said([overdue], seen, around(100))).to.deep.equal([{ since: 35, until: 90, alarmSince: 50 }]);
      expect(stretchesOf([overdue], seen, around(45))).to.deep.equal([
        {
          ...{ since: 35, until: null, level: null, alarmSince: null },
          because: { kind: 'overdue', state: 'overdue', locationId: DOCK, lastSeen: 20, sweepId: null },
        },
      ]);
      expect(said([overdue], unread, around(100))).to.deep.equal([]);
      expect(said([overdue], seen, around(100, {}, { mode: 'portal', maxGap: null }))).to.deep.equal([]);
    });

    it('begin with a sweep that did not find it, at a portal too', () => {
      const sweep = (locationId: number) => ({ sweepId: 'SWEEP', locationId, since: 65, until: 70 });
      const portal = around(100, {}, { mode: 'portal', maxGap: null });
      expect(stretchesOf([overdue], { ...unread, missedBy: [sweep(DOCK)] }, portal)).to.deep.equal([
        {
          ...{ since: 70, until: null, level: null, alarmSince: 70 },
          because: { kind: 'overdue', state: 'missing', locationId: DOCK, lastSeen: 60, sweepId: 'SWEEP' },
        },
      ]);
      expect(said([overdue], { ...unread, missedBy: [sweep(YARD)] }, portal)).to.deep.equal([]);
    });
  });

  it('warn of an asset that stays, then raise, throughout a subtree', () => {
    const stayed = asset({ stays: MOVES });
    expect(said([rule({ locationId: HALL, after: 15, thenAfter: 25 })], stayed, around(80))).to.deep.equal([
      { since: 25, until: 40, level: 'alarm', alarmSince: 35 },
      { since: 75, until: null, level: 'warning' },
    ]);
    expect(said([rule({ after: 15 })], stayed, around(70))).to.deep.equal([
      { since: 35, until: 40, level: 'alarm', alarmSince: 35 },
      { since: 55, until: 60, level: 'alarm', alarmSince: 55 },
    ]);
  });

  it('are those at a place where it must not be', () => {
    const moved = asset({ stays: MOVES, until: 70 });
    expect(said([rule({ kind: 'not_allowed', locationId: HALL })], moved, around(80))).to.deep.equal([
      { since: 10, until: 40 },
      { since: 60, until: 70 },
    ]);
  });

  it('are those outside of where it must be, in working hours', () => {
    const hour = 3_600_000_000;
    const hours = { timeZone: 'UTC', weekly: [3, 4].map((day) => ({ day, from: 8 * 60, until: 10 * 60 })) };
    const moved = asset({
      stays: [
        { locationId: HALL, since: 0, until: 9 * hour },
        { locationId: YARD, since: 9 * hour, until: EVER },
      ],
    });
    const must = rule({ kind: 'must_be', locationId: HALL, after: hour / 2, hours });
    expect(said([must], moved, around(60 * hour))).to.deep.equal([
      { since: 9.5 * hour, until: 10 * hour },
      { since: 32 * hour, until: 34 * hour },
    ]);
    expect(nextLook([must], moved, around(11 * hour)).at).to.equal(32 * hour);
    expect(nextLook([must], moved, around(33 * hour)).at).to.equal(34 * hour);
  });

  it('are those in which a reader was silent or disconnected, one after the other too', () => {
    const reader: ReaderEvidence = {
      ...{ readerId: 1, until: EVER },
      spans: [
        { state: 'disconnected', since: 10, until: 20 },
        { state: 'silent', since: 20, until: 30 },
        { state: 'silent', since: 50, until: EVER },
      ],
    };
    const unreachable = rule({ kind: 'reader', after: 15 });
    expect(stretchesOf([unreachable], reader, around(60))).to.deep.equal([
      {
        ...{ since: 25, until: 30, level: null, alarmSince: null },
        because: { kind: 'reader', state: 'disconnected', from: 10 },
      },
    ]);
    expect(nextLook([unreachable], reader, around(60)).at).to.equal(65);
  });

  it('follow the versions of a rule, without a new stretch where it goes on', () => {
    const versions = [
      rule({ locationId: HALL, after: 5, thenAfter: 25, until: 30 }),
      rule({ locationId: HALL, after: 10, from: 30, until: 38 }),
      rule({ locationId: DOCK, after: 100, from: 38 }),
    ];
    expect(said(versions, asset({ stays: MOVES }), around(80))).to.deep.equal([
      { since: 15, until: 38, level: 'alarm', alarmSince: 30 },
    ]);
  });

  it('are those of the assets that a rule selects, where they were and as they were described then', () => {
    const described = asset({
      stays: MOVES,
      described: new Map([
        [
          pathKey(['type', 'size']),
          [
            { text: '2', since: -EVER, until: 30 },
            { text: '3', since: 30, until: EVER },
          ],
        ],
      ]),
    });
    const of = (selection: Partial<DatedRule['selection']>) =>
      said(
        [rule({ kind: 'not_allowed', locationId: HALL, selection: { ...rule({}).selection, ...selection } })],
        described,
        around(50),
      );
    expect(of({ assetIds: [8] })).to.deep.equal([]);
    expect(of({ withinLocationId: DOCK })).to.deep.equal([{ since: 20, until: 40 }]);
    expect(of({ metadata: [{ path: ['type', 'size'], value: '2' }] })).to.deep.equal([
      { since: 10, until: 30 },
    ]);
    expect(of({ metadata: [{ path: ['type'], value: '2' }] })).to.deep.equal([]);
  });
});

describe('the next look at an asset', () => {
  const overdue = rule({ kind: 'overdue', after: 15, thenAfter: 30 });
  const seen = asset({ stays: MOVES, unread: [{ since: 20, until: EVER }] });

  it('is when it can be overdue, or missing, if everybody goes on to listen', () => {
    expect(nextLook([overdue], seen, around(25))).to.deep.equal({ at: null, unread: 35, heard: [] });
    expect(nextLook([overdue], seen, around(36))).to.deep.equal({ at: 50, unread: null, heard: [] });
    expect(nextLook([overdue], seen, around(60))).to.deep.equal({ at: null, unread: null, heard: [] });
  });

  it('waits until somebody listens again where nobody does, and for the message that proves that somebody did', () => {
    const late = { ...seen, unread: [{ since: 45, until: EVER }] };
    expect(nextLook([overdue], late, around(70))).to.deep.equal({
      at: null,
      unread: null,
      heard: [{ locationId: YARD, provenUntil: EVER, listenedFor: 10, isOver: false }],
    });
    const silent = { proven: [{ since: 0, until: 30 }], taken: [{ since: 0, until: 50 }] };
    const evidence = {
      watches: [{ from: -EVER, mode: 'continuous' as const, maxGap: null, coverage: 'all' as const }],
      antennas: [{ readerId: DOCK, since: 0, until: EVER }],
      listening: new Map([[DOCK, silent]]),
      swept: [],
    };
    const unproven = around(40, { places: new Map([[DOCK, evidence]]) });
    expect(nextLook([overdue], seen, unproven)).to.deep.equal({
      at: null,
      unread: null,
      heard: [{ locationId: DOCK, provenUntil: 35, listenedFor: EVER, isOver: false }],
    });
    expect(unproven.heard(DOCK)).to.deep.equal({ provenUntil: 30, provableUntil: 40, listenedSince: 0 });
  });

  it('comes as soon where a reader is behind as where it is not, and waits for it once it says nothing', () => {
    const behind = { proven: [{ since: 0, until: 30 }], taken: [{ since: 0, until: 30 }] };
    const next = (goesOn: { since: number; until: number }[], now = 45) => {
      const evidence = {
        watches: [{ from: -EVER, mode: 'continuous' as const, maxGap: null, coverage: 'all' as const }],
        antennas: [{ readerId: DOCK, since: 0, until: EVER }],
        listening: new Map([[DOCK, { ...behind, goesOn }]]),
        swept: [],
      };
      return nextLook([overdue], seen, around(now, { places: new Map([[DOCK, evidence]]) }));
    };
    expect(next([{ since: 0, until: 50 }])).to.deep.equal({ at: null, unread: 50, heard: [] });
    expect(next([{ since: 0, until: 40 }])).to.deep.equal({
      ...{ at: null, unread: null },
      heard: [{ locationId: DOCK, provenUntil: EVER, listenedFor: 5, isOver: false }],
    });
  });

  it('is when a version of the rule begins, if it holds then', () => {
    expect(
      nextLook([rule({ from: 500, locationId: DOCK, after: 5 })], asset({ stays: MOVES }), around(100)).at,
    ).to.equal(500);
  });
});
