import { expect } from 'chai';
import fc from 'fast-check';
import { TooMuchWork } from '../../../../base/errors.ts';
import { missedAt } from '../../../../domain/alerts/conditions/load-asset-evidence.ts';
import { FirstMissed } from '../../../../domain/alerts/conditions/rule-kinds.ts';
import { longestHold } from '../../../support/held-loop.ts';
import { randomSets } from '../../../support/random-sets.ts';

const sweeps = fc
  .array(
    fc.tuple(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 0, max: 6 }), fc.integer({ min: 1, max: 3 })),
    {
      maxLength: 12,
    },
  )
  .map((given) =>
    given
      .map(([since, length, locationId]) => ({ since, until: since + length, locationId }))
      .toSorted((a, b) => a.until - b.until)
      .map((sweep, index) => ({ ...sweep, sweepId: String.fromCharCode(65 + index) })),
  );

const stays = fc
  .array(fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 4 }), { maxLength: 4 })
  .map(
    (given) =>
      new Map(
        given.map((own, assetId) => [
          assetId,
          own.map((locationId, index) => ({ locationId, since: index, until: index + 1 })),
        ]),
      ),
  );

describe('sweeps that missed an asset', () => {
  it('are found by begin and location: the first of them to end', () => {
    fc.assert(
      fc.property(sweeps, (given) => {
        const found = new FirstMissed(given);
        for (const locationId of [1, 2, 3, 4]) {
          for (let instant = -1; instant <= 13; instant++) {
            const expected = given.find((sweep) => sweep.locationId === locationId && sweep.since > instant);
            expect(found.since(instant, locationId)).to.equal(expected);
          }
        }
      }),
      { numRuns: randomSets(1_000) },
    );
  });

  it('are those of the locations where it was, in order', async () => {
    const missed = fc.array(fc.tuple(fc.constantFrom(...'ABCDEF'), fc.array(fc.integer({ min: 0, max: 3 }))));
    await fc.assert(
      fc.asyncProperty(sweeps, missed, stays, async (given, pairs, ofAssets) => {
        const missedBy = new Map(pairs.map(([id, assets]) => [id, new Set(assets)]));
        const expected = [...ofAssets].flatMap(([assetId, own]) => {
          const of = given.filter(
            ({ sweepId, locationId }) =>
              own.some((stay) => stay.locationId === locationId) && missedBy.get(sweepId)?.has(assetId),
          );
          return of.length === 0 ? [] : [[assetId, of] as const];
        });
        expect([...(await missedAt(given, missedBy, ofAssets))]).to.deep.equal(expected);
      }),
      { numRuns: randomSets(1_000) },
    );
  });

  describe('of 200 assets and 500,000 sweeps', () => {
    const at = (locations: number) =>
      Array.from({ length: 500_000 }, (_, index) => ({
        ...{ sweepId: String(index % 500), locationId: index % locations, since: index, until: index + 1 },
      }));
    const everywhere = new Map(
      Array.from({ length: 200 }, (_, id) => [id, [{ locationId: id % 10, since: 0, until: 1 }]]),
    );

    it('hold the loop no longer than it may be held', async () => {
      const given = at(10);
      const missed = new Map([['1', new Set(everywhere.keys())]]);
      expect(await longestHold(() => missedAt(given, missed, everywhere), 2)).to.be.below(250);
    });

    it('are refused where they are too many to keep', async () => {
      const missed = new Map(
        Array.from({ length: 500 }, (_, id) => [String(id), new Set([...everywhere.keys()])]),
      );
      const error = await missedAt(at(10), missed, everywhere).catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(TooMuchWork);
    });
  });
});
