import { expect } from 'chai';
import type { Micros } from '../../../../base/instant.ts';
import { expectedAt, inForce, type StoredExpectation } from '../../../../domain/presence/expectations.ts';
import { joined } from '../../../../domain/presence/intervals.ts';
import { type Evidence, silencesOf } from '../../../../domain/presence/silence/silences.ts';
import { watchedBetween } from '../../../../domain/presence/silence/watched-time.ts';
import { Random } from '../../../support/random.ts';
import { randomSets } from '../../../support/random-sets.ts';

const END = 200;

/** By the definition, at one instant. */
function isSilent({ heard, expectations, watched, deletedAt }: Evidence, at: Micros): boolean {
  const last = heard.findLast(({ since }) => since <= at);
  const expected = expectedAt(expectations, at);
  return (
    last !== undefined &&
    at > last.until &&
    expected !== null &&
    (deletedAt === null || at < deletedAt) &&
    watchedBetween(watched, last.until, at) >= expected
  );
}

function randomEvidence(random: Random): Evidence {
  const heard = [];
  for (let at = random.below(20); at < END; at += 5 + random.below(60)) {
    const until = at + random.below(6);
    heard.push({ since: at, until });
    at = until;
  }
  const stored = Array.from(
    { length: random.below(5) },
    (): StoredExpectation => ({
      origin: random.pick(['set', 'learned']),
      from: random.below(END),
      expected: 5 + random.below(40),
    }),
  ).map((each) => (each.origin === 'set' && random.once(3) ? { ...each, expected: null } : each));
  const watched = joined(
    Array.from({ length: 1 + random.below(6) }, () => {
      const since = random.below(END);
      return { since, until: since + random.below(100) };
    }).map(({ since, until }) => ({ since, until: Math.min(until, END) })),
  );
  return {
    heard,
    watched,
    expectations: inForce(stored),
    deletedAt: random.once(4) ? random.below(END) + 1 : null,
  };
}

describe('silences of readers', () => {
  it('are, at every instant, what is defined: as much watched time without a message as is expected', () => {
    let silent = 0;
    for (let index = 0; index < randomSets(2_000); index++) {
      const evidence = randomEvidence(new Random(31, index));
      const silences = silencesOf(evidence);
      for (let at = 0; at < END; at++) {
        const said = silences.some(({ since, until }) => since <= at && (until === null || at < until));
        expect(said, `case ${index} at ${at}`).to.equal(isSilent(evidence, at));
        silent += Number(said);
      }
      for (const [at, { since, until }] of silences.entries()) {
        expect(until === null || since < until).to.equal(true);
        expect(until === null).to.equal(at === silences.length - 1 && until === null);
        expect(at === 0 || (silences[at - 1]?.until ?? Number.POSITIVE_INFINITY) < since).to.equal(true);
      }
    }
    expect(silent).to.be.above(randomSets(10_000));
  });

  const EVIDENCE: Evidence = {
    heard: [{ since: 0, until: 10 }],
    expectations: [{ from: 0, expected: 60 }],
    watched: [{ since: 0, until: 100 }],
    deletedAt: null,
  };

  it('begin when a reader should have been heard, and are not over before it is', () => {
    expect(silencesOf(EVIDENCE)).to.deep.equal([{ since: 70, until: null }]);
    const heard = [...EVIDENCE.heard, { since: 80, until: 80 }];
    expect(silencesOf({ ...EVIDENCE, heard })).to.deep.equal([{ since: 70, until: 80 }]);
  });

  it('do not begin while nobody could hear', () => {
    const watched = [
      { since: 0, until: 40 },
      { since: 500, until: 540 },
    ];
    expect(silencesOf({ ...EVIDENCE, watched })).to.deep.equal([{ since: 530, until: null }]);
    expect(silencesOf({ ...EVIDENCE, watched: watched.slice(0, 1) })).to.deep.equal([]);
  });

  it('stay what they were when something else is expected from then on', () => {
    const expectations = [
      { from: 0, expected: 20 },
      { from: 50, expected: 70 },
    ];
    expect(silencesOf({ ...EVIDENCE, expectations })).to.deep.equal([
      { since: 30, until: 50 },
      { since: 80, until: null },
    ]);
  });

  it('are none of a reader of which nothing is expected', () => {
    expect(silencesOf({ ...EVIDENCE, expectations: inForce([]) })).to.deep.equal([]);
  });
});
