import { randomInt } from 'node:crypto';
import { expect } from 'chai';
import { useDatabase } from '../../../support/database.ts';
import { measure } from '../../../support/location/figures.ts';
import { PROCEDURES, readExpected, readMeasured } from '../../../support/location/measured.ts';
import { installMeasured, storedMoves } from '../../../support/location/measured-site.ts';
import { ARRIVALS, type Arrival, recordAndLook, recordArriving } from '../../../support/location/play.ts';

/** As `measured.test.ts`, with the resting positions, the figures, and another order each night. */
describe('recording all that was measured with true positions', function () {
  this.timeout(3_600_000);

  const database = useDatabase();
  const expected = readExpected();
  const measured = readMeasured();
  const inDivisions = Object.entries(measured.plan.zonings).flatMap(([division, outlines]) =>
    PROCEDURES.map((procedure) => ({ division, procedure, outlines })),
  );

  for (const { division, procedure, outlines } of inDivisions) {
    const { moves, figures } = expected[`${division} ${procedure}`] ?? {};

    it(`is right as often as it must be: ${division} by ${procedure}`, async () => {
      await database.empty('scan_events, location_transitions, positions, unsealed_moves');
      const site = await installMeasured(database, measured, division, procedure);
      const moments = await recordAndLook(database, site, measured);
      const stored = await storedMoves(database, site);
      expect(stored).to.deep.equal(moves);
      for (const kind of ['walk', 'rest'] as const) {
        const measures = measure(kind, measured, outlines, { moves: stored, moments });
        expect(measures.figures).to.deep.equal(figures?.[kind]);
      }
    });

    for (const arrival of Object.keys(ARRIVALS) as Arrival[]) {
      it(`gives the same moves from reads ${arrival}: ${division} by ${procedure}`, async () => {
        const seed = randomInt(2 ** 31);
        await database.empty('scan_events, location_transitions, positions, unsealed_moves');
        const site = await installMeasured(database, measured, division, procedure);
        await recordArriving(database.pool, site, measured, arrival, seed);
        expect(await storedMoves(database, site), `seed ${seed}`).to.deep.equal(moves);
      });
    }
  }
});
