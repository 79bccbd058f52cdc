import { expect } from 'chai';
import { MICROS_PER_DAY } from '../../../base/instant.ts';
import type { Outcome } from '../../../domain/tracking/scan.ts';
import { useDatabase } from '../../support/database.ts';
import { aRead, record, storedHistory, storedPosition } from '../../support/recording.ts';
import { Site } from '../../support/site.ts';

const START = Date.UTC(2026, 4, 1, 10) * 1_000;
const DAY_SECONDS = 86_400;

type Location = 'A' | 'B' | 'C';
interface Arrival {
  /** Seconds from the start. */
  at: number;
  location: Location;
  rssi?: number;
}

describe('recording scans that arrive in any order', () => {
  const database = useDatabase();
  const locations = { A: 0, B: 0, C: 0 };
  const readers = { A: 0, B: 0, C: 0 };
  let site: Site;
  let value = 'none yet';
  let assetId: number;
  let assets = 0;

  before(async () => {
    site = await Site.create(database);
    for (const location of ['A', 'B', 'C'] as const) {
      locations[location] = await site.location(location);
      readers[location] = await site.reader(`at ${location}`, [locations[location]]);
    }
  });
  beforeEach(async () => {
    value = `crate-${++assets}`;
    assetId = await site.asset(value, value);
  });

  const micros = (seconds: number) => START + Math.round(seconds * 1_000_000);
  const seconds = (at: number) => (at - START) / 1_000_000;
  const nameOf = (locationId: number) =>
    (['A', 'B', 'C'] as const).find((location) => locations[location] === locationId) ?? `${locationId}`;

  async function arrive(...arrivals: Arrival[]): Promise<Outcome[]> {
    const newest = Math.max(...arrivals.map(({ at }) => micros(at)));
    const scans = arrivals.map(({ at, location, rssi }) =>
      aRead({
        orgId: site.orgId,
        readerId: readers[location],
        value,
        locationId: locations[location],
        at: micros(at),
        receivedAt: newest,
        rssi: rssi ?? null,
      }),
    );
    return await record(database, scans);
  }

  async function expectHistory(...expected: [at: number, location: Location, duration: number | null][]) {
    const rows = await storedHistory(database, assetId);
    expect(
      rows.map((row) => [seconds(row.observedAt), nameOf(row.locationId), row.durationSeconds]),
    ).to.deep.equal(expected);
  }

  async function expectPosition(location: Location, since: number, lastSeen: number) {
    const position = await storedPosition(database, assetId);
    expect(
      position && [nameOf(position.locationId), seconds(position.since), seconds(position.lastSeen)],
    ).to.deep.equal([location, since, lastSeen]);
  }

  const dropRawScans = () => database.rows('delete from scan_events where asset_id = $1', [assetId]);

  it('lengthens a stay backwards by a late scan', async () => {
    await arrive({ at: 0, location: 'A' });
    await arrive({ at: 100, location: 'B' });
    await arrive({ at: 50, location: 'B' });
    await expectHistory([0, 'A', null], [50, 'B', 50]);
    await expectPosition('B', 50, 100);
  });

  it('splits a stay by a late scan, the current one too', async () => {
    await arrive({ at: 0, location: 'A' });
    await arrive({ at: 100, location: 'A' });
    await arrive({ at: 40.5, location: 'B' });
    await expectHistory([0, 'A', null], [40.5, 'B', 40], [100, 'A', 59]);
    await expectPosition('A', 100, 100);
  });

  it('inserts a stay between two by a late scan', async () => {
    await arrive({ at: 0, location: 'A' });
    await arrive({ at: 100, location: 'B' });
    await arrive({ at: 60, location: 'C' });
    await expectHistory([0, 'A', null], [60, 'C', 60], [100, 'B', 40]);
    await expectPosition('B', 100, 100);
  });

  it('gives the first row to an earlier scan, and the row after it its duration', async () => {
    await arrive({ at: 100, location: 'A' });
    await arrive({ at: 10, location: 'B' });
    await expectHistory([10, 'B', null], [100, 'A', 90]);
    await arrive({ at: 0, location: 'A' });
    await expectHistory([0, 'A', null], [10, 'B', 10], [100, 'A', 90]);
    await expectPosition('A', 100, 100);
  });

  it('moves the first transition earlier by an earlier scan at the same location', async () => {
    await arrive({ at: 100, location: 'A' }, { at: 200, location: 'B' });
    await arrive({ at: 30, location: 'A' });
    await expectHistory([30, 'A', null], [200, 'B', 170]);
    await expectPosition('B', 200, 200);
  });

  it('writes no row again that a late scan does not change', async () => {
    const versions = () =>
      database.rows(
        'select xmin::text, observed_at from location_transitions where asset_id = $1 order by 2',
        [assetId],
      );
    await arrive({ at: 0, location: 'A' }, { at: 100, location: 'A' }, { at: 200, location: 'B' });
    const before = await versions();
    await arrive({ at: 50, location: 'A' }, { at: 150, location: 'A' });
    await expectHistory([0, 'A', null], [200, 'B', 200]);
    await expectPosition('B', 200, 200);
    expect(await versions()).to.deep.equal(before);
  });

  it('works late and newer scans of one batch in together', async () => {
    for (const reversed of [false, true]) {
      value = `crate-${++assets}`;
      assetId = await site.asset(value, value);
      await arrive({ at: 100, location: 'A' });
      const batch: Arrival[] = [
        { at: 150, location: 'B' },
        { at: 50, location: 'B' },
        { at: 200, location: 'B' },
        { at: 40, location: 'A' },
      ];
      await arrive(...(reversed ? batch.toReversed() : batch));
      await expectHistory([40, 'A', null], [50, 'B', 10], [100, 'A', 50], [150, 'B', 50]);
      await expectPosition('B', 150, 200);
    }
  });

  it('never moves the current location or the last seen time backwards by late scans', async () => {
    await arrive({ at: 1_000, location: 'A' });
    for (const at of [999, 500, 0, 750]) {
      await arrive({ at, location: 'B' });
      await expectPosition('A', 1_000, 1_000);
    }
    await expectHistory([0, 'B', null], [1_000, 'A', 1_000]);
  });

  it('sees an asset last at the newest scan, also within a stay', async () => {
    await arrive({ at: 0, location: 'A' });
    await arrive({ at: 500, location: 'A' });
    await arrive({ at: 300, location: 'A' });
    await expectPosition('A', 0, 500);
  });

  it('tells instants apart that differ by one microsecond', async () => {
    await arrive(
      { at: 10.000_001, location: 'B' },
      { at: 10, location: 'A' },
      { at: 10.000_002, location: 'A' },
    );
    await expectHistory([10, 'A', null], [10.000_001, 'B', 0], [10.000_002, 'A', 0]);
    await expectPosition('A', 10.000_002, 10.000_002);
  });

  it('rounds durations down to whole seconds', async () => {
    await arrive({ at: 0.000_001, location: 'A' });
    await arrive({ at: 60, location: 'B' });
    await arrive({ at: 120, location: 'A' });
    await expectHistory([0.000_001, 'A', null], [60, 'B', 59], [120, 'A', 60]);
  });

  describe('at one instant', () => {
    const pairs: [string, Arrival, Arrival][] = [
      [
        'the stronger over the weaker',
        { at: 5, location: 'B', rssi: -60.25 },
        { at: 5, location: 'A', rssi: -60.5 },
      ],
      ['any RSSI over none', { at: 5, location: 'B', rssi: -99 }, { at: 5, location: 'A' }],
      [
        'the smaller location at equal RSSI',
        { at: 5, location: 'A', rssi: -60 },
        { at: 5, location: 'B', rssi: -60 },
      ],
      ['the smaller location where neither has RSSI', { at: 5, location: 'A' }, { at: 5, location: 'B' }],
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
          await expectHistory([5, winner.location, null]);
          await expectPosition(winner.location, 5, 5);
        }
      });
    }

    it('replaces a transition in the midst of the history by a stronger rival', async () => {
      await arrive({ at: 0, location: 'A' }, { at: 10, location: 'B', rssi: -70 }, { at: 20, location: 'A' });
      await arrive({ at: 10, location: 'C', rssi: -65 });
      await expectHistory([0, 'A', null], [10, 'C', 10], [20, 'A', 10]);
      await arrive({ at: 10, location: 'A', rssi: -60 });
      await expectHistory([0, 'A', null]);
      await expectPosition('A', 0, 20);
    });

    it('moves the current location to a stronger rival of the newest scan', async () => {
      await arrive({ at: 0, location: 'A' }, { at: 10, location: 'B', rssi: -70 });
      await arrive({ at: 10, location: 'A', rssi: -65 });
      await expectHistory([0, 'A', null]);
      await expectPosition('A', 0, 10);
      await arrive({ at: 10, location: 'C', rssi: -60 });
      await expectHistory([0, 'A', null], [10, 'C', 10]);
      await expectPosition('C', 10, 10);
    });
  });

  it('replaces a row of history that nothing explains', async () => {
    await arrive({ at: 0, location: 'A' });
    await database.rows(
      `insert into location_transitions (org_id, asset_id, observed_at, location_id, duration_seconds)
       select org_id, asset_id, observed_at + interval '10 seconds', location_id, 7
       from location_transitions where asset_id = $1`,
      [assetId],
    );
    await arrive({ at: 10, location: 'B' });
    await expectHistory([0, 'A', null], [10, 'B', 10]);
    await expectPosition('B', 10, 10);
  });

  describe('after its raw scans were dropped', () => {
    it('leaves an asset where it was last seen, however long ago, and counts its next stay from there', async () => {
      const year = 365 * DAY_SECONDS;
      await arrive({ at: 0, location: 'A' });
      await dropRawScans();
      await expectPosition('A', 0, 0);
      await arrive({ at: year, location: 'A' });
      await expectHistory([0, 'A', null]);
      await expectPosition('A', 0, year);
      await arrive({ at: year + 60, location: 'B' });
      await expectHistory([0, 'A', null], [year + 60, 'B', year + 60]);
    });

    it('inserts a late scan among the transitions that are kept', async () => {
      const day = (days: number) => days * DAY_SECONDS;
      await arrive({ at: 0, location: 'A' });
      await dropRawScans();
      await arrive({ at: day(60), location: 'A' });
      await arrive({ at: day(50), location: 'B' });
      await expectHistory([0, 'A', null], [day(50), 'B', day(50)], [day(60), 'A', day(10)]);
      await arrive({ at: day(45), location: 'A' });
      await expectHistory([0, 'A', null], [day(50), 'B', day(50)], [day(60), 'A', day(10)]);
      await arrive({ at: day(45), location: 'C', rssi: -50 });
      await expectHistory(
        [0, 'A', null],
        [day(45), 'C', day(45)],
        [day(50), 'B', day(5)],
        [day(60), 'A', day(10)],
      );
    });

    it('replaces a transition by another scan of its instant', async () => {
      await arrive({ at: 0, location: 'A' });
      await arrive({ at: 60, location: 'B' });
      await dropRawScans();
      await arrive({ at: 120, location: 'B' });
      await arrive({ at: 60, location: 'C' });
      await expectHistory([0, 'A', null], [60, 'C', 60], [120, 'B', 60]);
      await expectPosition('B', 120, 120);
    });
  });

  it('records a scan as old as the lateness bound', async () => {
    const bound = (30 * MICROS_PER_DAY) / 1_000_000;
    await arrive({ at: bound, location: 'B' }, { at: 0, location: 'A' });
    await expectHistory([0, 'A', null], [bound, 'B', bound]);
  });
});
