import { expect } from 'chai';
import fc from 'fast-check';
import { MICROS_PER_MILLISECOND } from '../../../../base/instant.ts';
import { type OracleScan, outcomeOf, type World } from '../../../../simulation/location/oracle.ts';
import { expectOraclesStatements } from '../../../support/location/compared.ts';
import { measure } from '../../../support/location/figures.ts';
import {
  type Measured,
  type Moves,
  PROCEDURES,
  type Procedure,
  readExpected,
  readMeasured,
} from '../../../support/location/measured.ts';
import { aScene } from '../../../support/location/scenes.ts';

describe('the oracle of locations', () => {
  const measured = readMeasured();
  const expected = readExpected();

  for (const division of Object.keys(measured.plan.zonings)) {
    for (const procedure of PROCEDURES) {
      it(`gives the expected moves of what was measured (${division}, ${procedure})`, () => {
        const moves = oraclesMoves(measured, division, procedure);
        const { figures, moves: wanted } = expected[`${division} ${procedure}`] ?? {};
        expect(moves).to.deep.equal(wanted);
        for (const kind of ['walk', 'rest'] as const) {
          const outlines = measured.plan.zonings[division] ?? [];
          const { figures: own } = measure(kind, measured, outlines, { moves, moments: new Map() });
          const { right_at_the_moment_percent: _, ...rest } = own;
          expect(figures?.[kind]).to.include(rest);
        }
      });
    }
  }

  it('says what the statements say (10,000 scenes)', async () => {
    await fc.assert(fc.asyncProperty(aScene, expectOraclesStatements), { numRuns: 10_000 });
  });
});

/** Ids are the places in lists of names. */
function oraclesMoves({ plan, reads }: Measured, division: string, by: Procedure): Moves {
  const zones = plan.zonings[division] ?? [];
  const readers = [...new Set(plan.antennas.map(({ reader }) => reader))].sort();
  const locations = zones.map(({ location }) => location);
  const hall = zones.length;
  const world: World = {
    parents: new Map(zones.map((_, id) => [id, hall])),
    settings: [{ locationId: null, from: 0, by, certainty: 1, tagDbm: null }],
    antennas: [],
    plans: [
      {
        locationId: hall,
        outlines: zones.map(({ polygon }, locationId) => ({ locationId, corners: polygon })),
        pins: plan.antennas.map(({ reader, ...pin }) => ({ ...pin, readerId: readers.indexOf(reader) })),
      },
    ],
  };
  const locationIds = new Map(
    plan.antennas.map((each) => [
      `${each.reader} ${each.antenna}`,
      locations.indexOf(each.locations[division] ?? ''),
    ]),
  );
  return Object.fromEntries(
    [...reads].map(([tag, own]) => {
      const scans = own.map(
        (read): OracleScan => ({
          ...{ kind: 'read', at: read.at, antenna: read.antenna, rssi: read.rssi },
          ...{ tagType: 'ble', tagValue: tag, readerId: readers.indexOf(read.reader) },
          locationId: locationIds.get(`${read.reader} ${read.antenna}`) ?? -1,
        }),
      );
      const rows = outcomeOf(scans, world).history.map((row): Moves[string][number] => [
        new Date(row.at / MICROS_PER_MILLISECOND).toISOString(),
        locations[row.locationId] ?? '',
      ]);
      return [tag, rows];
    }),
  );
}
