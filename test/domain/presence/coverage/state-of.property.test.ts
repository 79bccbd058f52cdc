import { expect } from 'chai';
import {
  type Listening,
  listeningOf as listeningBy,
} from '../../../../domain/presence/coverage/listening-times.ts';
import { MOST_SETTINGS, PlacePresence } from '../../../../domain/presence/coverage/state-of.ts';
import type { DatedWatch } from '../../../../domain/presence/coverage/watches.ts';
import type { Interval } from '../../../../domain/presence/intervals.ts';
import { presenceByDefinition } from '../../../support/presence-by-definition.ts';
import { Random } from '../../../support/random.ts';

const END = 120;
const EXPECTED = 12;
const READERS = [1, 2, 3];
const ALWAYS = [{ since: 0, until: 1e6 }];
const ALL_THE_TIME: Listening = { proven: ALWAYS, taken: ALWAYS };

function randomWorld(random: Random) {
  const until = END + 40;
  const spans = (most: number): Interval[] =>
    Array.from({ length: random.below(most + 1) }, () => {
      const since = random.below(END);
      return { since, until: Math.min(until, since + 1 + random.below(70)) };
    });
  const watches = [...new Set(Array.from({ length: 1 + random.below(3) }, () => random.below(END)))]
    .sort((a, b) => a - b)
    .map(
      (from, which): DatedWatch => ({
        from: which === 0 && !random.once(4) ? -1_000 : from,
        mode: random.once(5) ? 'portal' : 'continuous',
        maxGap: random.once(5) ? null : 1 + random.below(40),
        coverage: random.pick(['all', 'any']),
      }),
    )
    .map((watch) => (watch.mode === 'portal' ? { ...watch, maxGap: null } : watch));
  return {
    watches,
    antennas: READERS.flatMap((readerId) =>
      random.once(2) ? [{ readerId, since: 0, until }] : spans(2).map((span) => ({ readerId, ...span })),
    ),
    heard: new Map(
      READERS.map((id) => [id, Array.from({ length: random.below(14) }, () => random.below(END))] as const),
    ),
    swept: spans(2),
    missed: random.once(2) ? spans(2).map((span, which) => ({ ...span, sweepId: `S${which}` })) : [],
    lastSeen: random.below(END),
    limits: (random.once(2) ? spans(3) : [])
      .toSorted((a, b) => a.since - b.since)
      .map(({ since, until: most }) => ({
        from: since,
        overdue: random.once(3) ? null : 1 + random.below(20),
        missing: random.once(3) ? null : most - since,
      })),
  };
}

type World = ReturnType<typeof randomWorld>;

/** Of messages that came at once, and of others that came long after, which prove the same. */
function listeningOf(heard: readonly number[], isLate: (at: number) => boolean): Listening {
  const instants = [...new Set(heard)].sort((a, b) => a - b).map((at) => ({ since: at, until: at }));
  const late = instants.filter(({ since }) => isLate(since));
  return listeningBy({
    heard: [
      ...instants.filter(({ since }) => !isLate(since)),
      ...(late.length === 0 ? [] : [{ since: 10_000, until: 10_000 }]),
    ],
    proven: late,
    disconnected: [],
    expectations: [{ from: Number.NEGATIVE_INFINITY, expected: EXPECTED }],
  });
}

function presenceOf(world: World, at: number, isLate: (at: number) => boolean, random?: Random) {
  const shuffled = <Item>(items: readonly Item[]) =>
    random === undefined ? items : items.toSorted(() => random.below(3) - 1);
  const listening = new Map([...world.heard].map(([id, heard]) => [id, listeningOf(heard, isLate)]));
  const { watches, lastSeen } = world;
  const place = new PlacePresence(
    { watches, antennas: shuffled(world.antennas), swept: shuffled(world.swept), listening },
    { since: lastSeen, until: at + 1 },
  );
  const missedBy = world.missed
    .filter(({ since, until }) => since > lastSeen && until <= at)
    .toSorted((a, b) => a.until - b.until)[0];
  return place.stateOf(
    {
      lastSeen,
      isLastKnown: true,
      missedBy: missedBy === undefined ? null : { sweepId: missedBy.sweepId, endedAt: missedBy.until },
      limits: world.limits.map(({ from, overdue, missing }) => ({
        from,
        overdue: overdue === null ? null : { after: overdue, ruleId: 'RULE' },
        missing: missing === null ? null : { after: missing, ruleId: 'RULE' },
      })),
    },
    at,
  );
}

describe('the state of an asset', () => {
  it('is, of 1,000 random cases at any instant, what counting covered time step by step says', () => {
    const met = new Map<string, number>();
    for (let index = 0; index < 1_000; index++) {
      const random = new Random(71, index);
      const world = randomWorld(random);
      const at = world.lastSeen + random.below(END - world.lastSeen);
      const { state, since, unseen, because } = presenceOf(world, at, () => false);
      const listens = (id: number, then: number) =>
        (world.heard.get(id) ?? []).some((heard) => heard <= then && then < heard + EXPECTED);
      const proven = (id: number, then: number) => {
        const heard = world.heard.get(id) ?? [];
        return heard.some(
          (one) => one <= then && heard.some((next) => then < next && next <= one + EXPECTED),
        );
      };
      expect({ state, since, unseen }, `case ${index}`).to.deep.equal(
        presenceByDefinition({ ...world, step: 1, listens, proven }, at),
      );
      if (because !== null && 'readerId' in because) {
        expect(listens(because.readerId, at), `case ${index}`).to.equal(false);
      }
      met.set(state, (met.get(state) ?? 0) + 1);
    }
    for (const state of ['present', 'overdue', 'unknown', 'missing']) {
      expect(met.get(state) ?? 0, state).to.be.greaterThan(10);
    }
  });

  it('is the same, of 1,000 random cases, whichever messages came late, and in whatever order', () => {
    for (let index = 0; index < 1_000; index++) {
      const random = new Random(73, index);
      const world = randomWorld(random);
      const at = world.lastSeen + random.below(END - world.lastSeen);
      const late = new Set(Array.from({ length: 60 }, () => random.below(END)));
      expect(
        presenceOf(world, at, (then) => late.has(then), random),
        `case ${index}`,
      ).to.deep.equal(presenceOf(world, at, () => false));
    }
  });

  const place = (watch: Partial<DatedWatch>, listening: Record<number, Interval[] | Listening>) =>
    new PlacePresence(
      {
        watches: [{ from: 0, mode: 'continuous', maxGap: 20, coverage: 'all', ...watch }],
        antennas: Object.keys(listening).map((id) => ({ readerId: Number(id), since: 0, until: 1_000 })),
        listening: new Map(
          Object.entries(listening).map(([id, times]) => [
            Number(id),
            Array.isArray(times) ? { proven: times, taken: times } : times,
          ]),
        ),
        swept: [],
      },
      { since: 0, until: 1_000 },
    );
  const asset = { lastSeen: 10, isLastKnown: true, missedBy: null, limits: [] };

  it('names the reader that stopped first where all must listen, and the last where any will do', () => {
    const listening = { 1: [{ since: 0, until: 25 }], 2: [{ since: 0, until: 22 }] };
    expect(place({}, listening).stateOf(asset, 100)).to.deep.include({
      state: 'unknown',
      since: 30,
      because: { readerId: 2, since: 22 },
    });
    expect(place({ coverage: 'any' }, listening).stateOf(asset, 100)).to.deep.include({
      state: 'unknown',
      because: { readerId: 1, since: 25 },
    });
    expect(place({}, { 3: [] }).stateOf(asset, 100).because).to.deep.equal({ readerId: 3, since: null });
    expect(place({}, {}).stateOf(asset, 100)).to.deep.include({ state: 'unknown', because: null });
  });

  it('is unknown, not overdue, where the only reader died, though it may say nothing for longer than the gap', () => {
    const heard = (until: number) =>
      listeningBy({
        heard: [{ since: 0, until }],
        ...{ proven: [], disconnected: [] },
        expectations: [{ from: 0, expected: 50 }],
      });
    const state = (until: number, at: number) => place({}, { 1: heard(until) }).stateOf(asset, at).state;
    expect([20, 40, 61, 62, 500].map((at) => state(12, at))).to.deep.equal([
      ...['present', 'present', 'present', 'unknown', 'unknown'],
    ]);
    expect([29, 30, 500].map((at) => state(30, at))).to.deep.equal(['present', 'overdue', 'overdue']);
  });

  it('is never overdue at a portal, nor while it is not known how often things are read', () => {
    const listening = { 1: [{ since: 0, until: 1_000 }] };
    expect(place({}, listening).stateOf(asset, 900).state).to.equal('overdue');
    expect(place({ maxGap: null }, listening).stateOf(asset, 900).state).to.equal('present');
    expect(place({ mode: 'portal', maxGap: null }, listening).stateOf(asset, 900)).to.deep.equal({
      state: 'present',
      since: 10,
      unseen: null,
      because: null,
    });
  });

  it('begins with the first of the settings that are looked back through, where there are more', () => {
    const stateAfter = (settings: number) =>
      new PlacePresence(
        {
          watches: Array.from(
            { length: settings },
            (_, which): DatedWatch => ({
              from: 100 + which,
              mode: 'continuous',
              maxGap: 20,
              coverage: 'all',
            }),
          ),
          antennas: [{ readerId: 1, since: 0, until: 1e6 }],
          listening: new Map([[1, ALL_THE_TIME]]),
          swept: [],
        },
        { since: 0, until: 1e6 },
      ).stateOf({ lastSeen: 10, isLastKnown: true, missedBy: null, limits: [] }, 1e5);
    expect(stateAfter(MOST_SETTINGS)).to.deep.include({ state: 'overdue', since: 120 });
    expect(stateAfter(50_000)).to.deep.include({ state: 'overdue', since: 100 + 50_000 - MOST_SETTINGS });
  });

  it('is unknown where the scans of then are gone', () => {
    const listening = { 1: [{ since: 0, until: 1_000 }] };
    expect(place({}, listening).stateOf({ ...asset, isLastKnown: false }, 900)).to.deep.equal({
      state: 'unknown',
      since: null,
      unseen: null,
      because: null,
    });
  });
});
