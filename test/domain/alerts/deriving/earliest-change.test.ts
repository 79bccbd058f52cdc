import { expect } from 'chai';
import { earliestChange } from '../../../../domain/alerts/deriving/derive-organization.ts';
import type { DatedRule } from '../../../../domain/alerts/rules/rule.ts';
import { UNBOUND } from '../../../../domain/tracking/reading-bound.ts';

const YARD = 7;
const MOVE = { since: 100, assetId: 1 };

describe('when a move may first make a rule true', () => {
  const rule = (more: Partial<DatedRule>): DatedRule => ({
    ...{
      ruleId: 'R',
      orgId: 1,
      kind: 'dwell',
      name: 'R',
      after: 10,
      thenAfter: null,
      locationId: YARD,
      hours: null,
      bound: UNBOUND,
    },
    selection: { assetIds: null, withinLocationId: null, metadata: [], readerIds: null },
    ...{ mailTo: [], from: 0, until: null },
    ...more,
  });
  const everything = rule({}).selection;
  const earliest = (one: Partial<DatedRule>, below: readonly number[] = []) =>
    earliestChange([rule(one)], MOVE, (id) => below.includes(id));

  it('is its threshold later, at the location that it is about, or away from it', () => {
    expect(earliest({})).to.equal(Number.POSITIVE_INFINITY);
    expect(earliest({}, [YARD])).to.equal(110);
    expect(earliest({ locationId: null })).to.equal(110);
    expect(earliest({ after: null, thenAfter: 20 }, [YARD])).to.equal(120);
    expect(earliest({ kind: 'not_allowed', after: null })).to.equal(Number.POSITIVE_INFINITY);
    expect(earliest({ kind: 'not_allowed', after: null }, [YARD])).to.equal(100);
    expect(earliest({ kind: 'must_be' })).to.equal(110);
    expect(earliest({ kind: 'overdue', locationId: null })).to.equal(110);
    expect(earliest({ kind: 'overdue', locationId: null, after: null, thenAfter: 20 })).to.equal(100);
  });

  it('is at once where it comes into what the rule is about, and never of what it is not about', () => {
    const within = { ...everything, withinLocationId: 9 };
    expect(earliest({ kind: 'must_be', selection: within })).to.equal(Number.POSITIVE_INFINITY);
    expect(earliest({ kind: 'must_be', selection: within }, [9])).to.equal(100);
    expect(earliest({ kind: 'overdue', selection: within }, [9])).to.equal(110);
    expect(earliest({ kind: 'must_be', selection: { ...everything, assetIds: [2] } })).to.equal(
      Number.POSITIVE_INFINITY,
    );
  });
});
