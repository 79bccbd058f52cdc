import { expect } from 'chai';
import { MICROS_PER_DAY } from '../../../base/instant.ts';
import type { Outcome } from '../../../domain/tracking/scan.ts';
import { useDatabase } from '../../support/database.ts';
import { aRead, record, storedHistory, storedPosition } from '../../support/recording.ts';
import { Site } from '../../support/site.ts';

const START = Date.UTC(2026, 4, 1, 10) * 1_000;
const DAY_SECONDS = 86_400;

type Place = 'A' | 'B' | 'C';
interface Arrival {
  /** Seconds from the start. */
  at: number;
  place: Place;
  rssi?: number;
}

describe('recording scans that arrive in any order', () => {
  const database = useDatabase();
  const places = { A: 0, B: 0, C: 0 };
  const readers = { A: 0, B: 0, C: 0 };
  let site: Site;
  let value = 'none yet';
  let assetId: number;
  let assets = 0;

  before(async () => {
    site = await Site.create(database);
    for (const place of ['A', 'B', 'C'] as const) {
      places[place] = await site.location(place);
      readers[place] = await site.reader(`at ${place}`, [places[place]]);
    }
  });
  beforeEach(async () => {
    value = `crate-${++assets}`;
    assetId = await site.asset(value, value);
  });

  const micros = (seconds: number) => START + Math.round(seconds * 1_000_000);
  const seconds = (at: number) => (at - START) / 1_000_000;
  const nameOf = (locationId: number) =>
    (['A', 'B', 'C'] as const).find((place) => places[place] === locationId) ?? `${locationId}`;

  /** Records one batch, read by the reader at each place. */
  async function arrive(...arrivals: Arrival[]): Promise<Outcome[]> {
    const newest = Math.max(...arrivals.map(({ at }) => micros(at)));
    const scans = arrivals.map(({ at, place, rssi }) =>
      aRead({
        orgId: site.orgId,
        readerId: readers[place],
        value,
        locationId: places[place],
        at: micros(at),
        receivedAt: newest,
        rssi: rssi ?? null,
      }),
    );
    return await record(database, scans);
  }

  async function expectHistory(...expected: [at: number, place: Place, duration: number | null][]) {
    const rows = await storedHistory(database, assetId);
    expect(
      rows.map((row) => [seconds(row.observedAt), nameOf(row.locationId), row.durationSeconds]),
    ).to.deep.equal(expected);
  }

  async function expectPosition(place: Place, since: number, lastSeen: number) {
    const position = await storedPosition(database, assetId);
    expect(
      position && [nameOf(position.locationId), seconds(position.since), seconds(position.lastSeen)],
    ).to.deep.equal([place, since, lastSeen]);
  }

  const dropRawScans = () => database.rows('delete from scan_events where asset_id = $1', [assetId]);

  it('lengthens a stay backwards by a late scan', async () => {
    await arrive({ at: 0, place: 'A' });
    await arrive({ at: 100, place: 'B' });
    await arrive({ at: 50, place: 'B' });
    await expectHistory([0, 'A', null], [50, 'B', 50]);
    await expectPosition('B', 50, 100);
  });

  it('splits a stay by a late scan, the current one too', async () => {
    await arrive({ at: 0, place: 'A' });
    await arrive({ at: 100, place: 'A' });
    await arrive({ at: 40.5, place: 'B' });
    await expectHistory([0, 'A', null], [40.5, 'B', 40], [100, 'A', 59]);
    await expectPosition('A', 100, 100);
  });

  it('inserts a stay between two by a late scan', async () => {
    await arrive({ at: 0, place: 'A' });
    await arrive({ at: 100, place: 'B' });
    await arrive({ at: 60, place: 'C' });
    await expectHistory([0, 'A', null], [60, 'C', 60], [100, 'B', 40]);
    await expectPosition('B', 100, 100);
  });

  it('gives the first row to an earlier scan, and the row after it its duration', async () => {
    await arrive({ at: 100, place: 'A' });
    await arrive({ at: 10, place: 'B' });
    await expectHistory([10, 'B', null], [100, 'A', 90]);
    await arrive({ at: 0, place: 'A' });
    await expectHistory([0, 'A', null], [10, 'B', 10], [100, 'A', 90]);
    await expectPosition('A', 100, 100);
  });

  it('moves the first transition earlier by an earlier scan at the same place', async () => {
    await arrive({ at: 100, place: 'A' }, { at: 200, place: 'B' });
    await arrive({ at: 30, place: 'A' });
    await expectHistory([30, 'A', null], [200, 'B', 170]);
    await expectPosition('B', 200, 200);
  });

  it('writes no row again that a late scan does not change', async () => {
    const versions = () =>
      database.rows(
        'select xmin::text, observed_at from location_transitions where asset_id = $1 order by 2',
        [assetId],
      );
    await arrive({ at: 0, place: 'A' }, { at: 100, place: 'A' }, { at: 200, place: 'B' });
    const before = await versions();
    await arrive({ at: 50, place: 'A' }, { at: 150, place: 'A' });
    await expectHistory([0, 'A', null], [200, 'B', 200]);
    await expectPosition('B', 200, 200);
    expect(await versions()).to.deep.equal(before);
  });

  it('works late and newer scans of one batch in together', async () => {
    for (const reversed of [false, true]) {
      value = `crate-${++assets}`;
      assetId = await site.asset(value, value);
      await arrive({ at: 100, place: 'A' });
      const batch: Arrival[] = [
        { at: 150, place: 'B' },
        { at: 50, place: 'B' },
        { at: 200, place: 'B' },
        { at: 40, place: 'A' },
      ];
      await arrive(...(reversed ? batch.toReversed() : batch));
      await expectHistory([40, 'A', null], [50, 'B', 10], [100, 'A', 50], [150, 'B', 50]);
      await expectPosition('B', 150, 200);
    }
  });

  it('never moves the current location or the last seen time backwards by late scans', async () => {
    await arrive({ at: 1_000, place: 'A' });
    for (const at of [999, 500, 0, 750]) {
      await arrive({ at, place: 'B' });
      await expectPosition('A', 1_000, 1_000);
    }
    await expectHistory([0, 'B', null], [1_000, 'A', 1_000]);
  });

  it('sees an asset last at the newest scan, also within a stay', async () => {
    await arrive({ at: 0, place: 'A' });
    await arrive({ at: 500, place: 'A' });
    await arrive({ at: 300, place: 'A' });
    await expectPosition('A', 0, 500);
  });

  it('tells instants apart that differ by one microsecond', async () => {
    await arrive({ at: 10.000_001, place: 'B' }, { at: 10, place: 'A' }, { at: 10.000_002, place: 'A' });
    await expectHistory([10, 'A', null], [10.000_001, 'B', 0], [10.000_002, 'A', 0]);
    await expectPosition('A', 10.000_002, 10.000_002);
  });

  it('rounds durations down to whole seconds', async () => {
    await arrive({ at: 0.000_001, place: 'A' });
    await arrive({ at: 60, place: 'B' });
    await arrive({ at: 120, place: 'A' });
    await expectHistory([0.000_001, 'A', null], [60, 'B', 59], [120, 'A', 60]);
  });

  describe('at one instant', () => {
    const pairs: [string, Arrival, Arrival][] = [
      [
        'the stronger over the weaker',
        { at: 5, place: 'B', rssi: -60.25 },
        { at: 5, place: 'A', rssi: -60.5 },
      ],
      ['any RSSI over none', { at: 5, place: 'B', rssi: -99 }, { at: 5, place: 'A' }],
      [
        'the smaller location at equal RSSI',
        { at: 5, place: 'A', rssi: -60 },
        { at: 5, place: 'B', rssi: -60 },
      ],
      ['the smaller location where neither has RSSI', { at: 5, place: 'A' }, { at: 5, place: 'B' }],
    ];
    for (const [what, winner, loser] of pairs) {
      it(`keeps ${what}, in one batch and whichever comes first`, async () => {
        for (const batches of [[[loser, winner]], [[winner], [loser]], [[loser], [winner]]]) {
          value = `crate-${++assets}`;
          assetId = await site.asset(value, value);
          for (const batch of batches) {
            const outcomes = await arrive(...batch);
            expect(outcomes.every(({ status }) => status === 'recorded')).to.equal(true);
          }
          await expectHistory([5, winner.place, null]);
          await expectPosition(winner.place, 5, 5);
        }
      });
    }

    it('replaces a transition in the midst of the history by a stronger rival', async () => {
      await arrive({ at: 0, place: 'A' }, { at: 10, place: 'B', rssi: -70 }, { at: 20, place: 'A' });
      await arrive({ at: 10, place: 'C', rssi: -65 });
      await expectHistory([0, 'A', null], [10, 'C', 10], [20, 'A', 10]);
      await arrive({ at: 10, place: 'A', rssi: -60 });
      await expectHistory([0, 'A', null]);
      await expectPosition('A', 0, 20);
    });

    it('moves the current location to a stronger rival of the newest scan', async () => {
      await arrive({ at: 0, place: 'A' }, { at: 10, place: 'B', rssi: -70 });
      await arrive({ at: 10, place: 'A', rssi: -65 });
      await expectHistory([0, 'A', null]);
      await expectPosition('A', 0, 10);
      await arrive({ at: 10, place: 'C', rssi: -60 });
      await expectHistory([0, 'A', null], [10, 'C', 10]);
      await expectPosition('C', 10, 10);
    });
  });

  describe('after its raw scans were dropped', () => {
    it('leaves an asset where it was last seen, however long ago, and counts its next stay from there', async () => {
      const year = 365 * DAY_SECONDS;
      await arrive({ at: 0, place: 'A' });
      await dropRawScans();
      await expectPosition('A', 0, 0);
      await arrive({ at: year, place: 'A' });
      await expectHistory([0, 'A', null]);
      await expectPosition('A', 0, year);
      await arrive({ at: year + 60, place: 'B' });
      await expectHistory([0, 'A', null], [year + 60, 'B', year + 60]);
    });

    it('places a late scan among the transitions that are kept', async () => {
      const day = (days: number) => days * DAY_SECONDS;
      await arrive({ at: 0, place: 'A' });
      await dropRawScans();
      await arrive({ at: day(60), place: 'A' });
      await arrive({ at: day(50), place: 'B' });
      await expectHistory([0, 'A', null], [day(50), 'B', day(50)], [day(60), 'A', day(10)]);
      await arrive({ at: day(45), place: 'A' });
      await expectHistory([0, 'A', null], [day(50), 'B', day(50)], [day(60), 'A', day(10)]);
      await arrive({ at: day(45), place: 'C', rssi: -50 });
      await expectHistory(
        [0, 'A', null],
        [day(45), 'C', day(45)],
        [day(50), 'B', day(5)],
        [day(60), 'A', day(10)],
      );
    });
  });

  it('records a scan as old as the lateness bound in its place', async () => {
    const bound = (30 * MICROS_PER_DAY) / 1_000_000;
    await arrive({ at: bound, place: 'B' }, { at: 0, place: 'A' });
    await expectHistory([0, 'A', null], [bound, 'B', bound]);
  });
});
