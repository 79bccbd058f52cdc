import { expect } from 'chai';
import fc from 'fast-check';
import { outcomeOf } from '../../../../simulation/location/oracle.ts';
import { expectOraclesStatements } from '../../../support/location/compared.ts';
import { aScene } from '../../../support/location/scenes.ts';
import { randomSets } from '../../../support/random-sets.ts';

describe('statements of random scenes', () => {
  it('are those of the oracle (up to 1,000 scenes)', async () => {
    await fc.assert(fc.asyncProperty(aScene, expectOraclesStatements), { numRuns: randomSets(1_000) });
  });

  it('are made in every way, and often change the location (up to 1,000 scenes)', () => {
    const times = new Map<string, number>();
    const count = (what: string) => times.set(what, (times.get(what) ?? 0) + 1);
    fc.assert(
      fc.property(aScene, ({ scans, world }) => {
        const { statements, history, newestPosition } = outcomeOf(scans, world);
        for (const rule of new Set(statements.map((each) => each.rule))) {
          count(rule);
        }
        if (history.length > 2) {
          count('several stays');
        }
        if (statements.length < scans.length / 2) {
          count('few of the scans state');
        }
        if (newestPosition !== null) {
          count('a position');
        }
      }),
      { numRuns: Math.max(400, randomSets(1_000)) },
    );
    for (const what of [
      ...['person', 'every', 'only_here', 'strength', 'counts', 'position'],
      ...['several stays', 'few of the scans state', 'a position'],
    ]) {
      expect(times.get(what) ?? 0, what).to.be.greaterThan(randomSets(50));
    }
  });
});
