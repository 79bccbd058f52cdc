import { expect } from 'chai';
import { type NextLook, nextLook } from '../../../../domain/alerts/conditions/next-look.ts';
import { stretchesOf } from '../../../../domain/alerts/conditions/rule-kinds.ts';
import { Surroundings } from '../../../../domain/alerts/conditions/surroundings.ts';
import type { DatedRule } from '../../../../domain/alerts/rules/rule.ts';
import { timeOf } from '../../../support/held-loop.ts';
import { ruleOf } from './rule-of.ts';

const SECOND = 1_000_000;
const STAYS = 20_000;

const EVER = { since: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY };

const stays = Array.from({ length: STAYS }, (_, index) => ({
  ...{ locationId: 1 + (index % 2), since: index * SECOND },
  until: index === STAYS - 1 ? Number.POSITIVE_INFINITY : (index + 1) * SECOND,
}));

const asset = {
  ...{ assetId: 1, until: Number.POSITIVE_INFINITY, stays, unread: stays, described: new Map() },
  missedBy: stays.map(({ locationId, since }, index) => ({
    ...{ sweepId: String(index), locationId, since: since + 1, until: since + 2 },
  })),
};

function around(): Surroundings {
  const place = {
    watches: [
      {
        ...EVER,
        from: Number.NEGATIVE_INFINITY,
        mode: 'continuous',
        maxGap: SECOND,
        coverage: 'any',
      } as const,
    ],
    antennas: [{ readerId: 1, ...EVER }],
    listening: new Map([
      [1, { proven: stays.map(({ since }) => ({ since, until: since + SECOND / 2 })), taken: [] }],
    ]),
    swept: [],
  };
  return new Surroundings({
    ...{ window: { since: 0, until: 2 * STAYS * SECOND }, coveredFrom: 0 },
    subtrees: new Map([[1, new Map([[1, [EVER]]])]]),
    places: new Map([
      [1, place],
      [2, place],
    ]),
  });
}

describe('conditions of rules for an asset that was somewhere else every second', () => {
  const { selection } = ruleOf({});
  const within = { ...selection, withinLocationId: 1 };
  const after = SECOND / 10;
  const rules: [string, DatedRule, found: number][] = [
    ['dwell', ruleOf({ after }), STAYS],
    ['dwell within a location', ruleOf({ after, selection: within }), STAYS / 2],
    ['not_allowed', ruleOf({ kind: 'not_allowed', after, locationId: 1 }), STAYS / 2],
    ['must_be', ruleOf({ kind: 'must_be', after, locationId: 1 }), STAYS / 2],
    ['overdue', ruleOf({ kind: 'overdue', after, thenAfter: 2 * after }), STAYS],
    ['overdue within a location', ruleOf({ kind: 'overdue', after, selection: within }), STAYS / 2],
  ];
  for (const [name, rule, found] of rules) {
    it(`are derived in a time that grows with its stays and not with their square: ${name}`, () => {
      let next: NextLook | undefined;
      let stretches = 0;
      const time = timeOf(() => {
        const surroundings = around();
        const all = stretchesOf([rule], asset, surroundings);
        stretches = all.length;
        next = nextLook([rule], asset, surroundings, all);
      }, 2);
      expect(stretches).to.equal(found);
      expect(next).to.be.an('object');
      // Some 0.2 s; held against each other 20,000 of both take 3 to 28 s.
      expect(time).to.be.below(1_500);
    });
  }
});
