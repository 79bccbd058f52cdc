import { expect } from 'chai';
import type { Client } from '../../../../db/timescale/connections/client.ts';
import { RecentlySeen, RecentRepeats } from '../../../../domain/tracking/recently-seen.ts';
import type { Scan } from '../../../../domain/tracking/scan.ts';
import { recordIn } from '../../../support/concurrently.ts';
import { useDatabase } from '../../../support/database.ts';
import { emptyStatistics, FIRST_OWN_OID } from '../../../support/empty-statistics.ts';
import { STRENGTH, storeSettings } from '../../../support/location-settings.ts';
import { type Measured, MeasuredClient } from '../../../support/measured-client.ts';
import { record } from '../../../support/recording.ts';
import { CRATES, Crates, READS, SECOND, START } from './crates.ts';

/**
 * The same batch is recorded, and rolled back, on the same rows without statistics and with them. What it takes is
 * counted and not timed. Two organizations take part: in one every scan decides, in the other strength does.
 */
describe('a batch of late reads on tables without statistics', () => {
  const database = useDatabase();
  let plain: Crates;
  let byStrength: Crates;
  const measured: Record<string, ReadonlyMap<string, Measured>> = {};
  let batch: Scan[];

  before(async () => {
    await withoutAutovacuum();
    plain = await Crates.create(database);
    byStrength = await Crates.create(database);
    await storeSettings(database, byStrength.site.orgId, [
      {
        locationId: null,
        validFrom: START - 3600 * SECOND,
        setting: STRENGTH,
      },
    ]);
    const early = await MeasuredClient.connect(database.url);
    const unknowing = await MeasuredClient.connect(database.url);
    const misled = await MeasuredClient.connect(database.url);
    const withStatistics = await MeasuredClient.connect(database.url);
    try {
      // Plans that are made while the tables are nearly empty, which the statistics say, too.
      await record(database, [...plain.reads(0, 2, 1), ...byStrength.reads(0, 2, 1)]);
      await database.rows('analyze');
      const repeats = new RecentRepeats();
      repeats.note(true);
      await early.measure((client) =>
        recordIn(client, [...plain.late(2), ...byStrength.late(2)], { repeats }),
      );
      for (const half of [plain, byStrength]) {
        for (let first = 0; first < CRATES; first += 10) {
          await record(database, half.reads(first, first + 10, READS));
        }
      }
      batch = [...plain.late(CRATES), ...byStrength.late(CRATES)];
      const late = async (client: Client) => {
        const seen = new RecentlySeen();
        await recordIn(client, batch, { repeats, seen });
        await recordIn(client, batch, { isCareful: true, seen });
      };
      measured['planned early'] = await early.measure(late);
      await withoutStatistics();
      measured['planned without any'] = await unknowing.measure(late);
      await emptyStatistics(database);
      measured['planned as for empty tables'] = await misled.measure(late);
      await database.rows('analyze');
      measured['with statistics'] = await withStatistics.measure(late);
    } finally {
      for (const { client } of [early, unknowing, misled, withStatistics]) {
        await client.end();
      }
    }
  });

  it('runs every statement that looks up rows for the rows of a batch', () => {
    expect([...(measured['with statistics']?.keys() ?? [])]).to.include.members([
      'delete-transitions',
      'known-scans-by-handheld',
      'known-scans-by-reader',
      'load-scans-of-stretches',
      'load-sightings',
      'load-transitions',
      'load-transitions-of-stretches',
      'lock-known-positions',
      'lock-locations',
      'lock-positions',
      'near-scans',
      'near-transitions',
      'insert-positions',
      'put-transitions',
      'record-unknown-tags',
      'resolve-exact-tags',
      'resolve-tags',
      'strengthen-scan-events',
      'trim-unknown-tags',
      'update-positions',
    ]);
  });

  for (const when of ['planned without any', 'planned early', 'planned as for empty tables']) {
    it(`has in hand as few rows and pages as with statistics, ${when}`, () => {
      const excess = [...(measured[when] ?? [])].flatMap(([name, { rows, pages, scanned }]) => {
        const usual = measured['with statistics']?.get(name) ?? { rows: 0, pages: 0 };
        const isUsual = rows <= 2 * usual.rows + batch.length && pages <= 2 * usual.pages + batch.length;
        return isUsual && scanned.length === 0 ? [] : [{ name, rows, pages, scanned, usual }];
      });
      expect(excess).to.deep.equal([]);
    });
  }

  it('has a few rows and pages in hand for each read, whatever is stored', () => {
    const most = [...(measured['planned without any'] ?? [])].map(([name, { rows, pages }]) => ({
      name,
      rows: rows / batch.length,
      pages: pages / batch.length,
    }));
    expect(most.filter(({ rows, pages }) => rows > 150 || pages > 60)).to.deep.equal([]);
  });

  /** Of chunks that are still to be made, too: they take it over. */
  async function withoutAutovacuum(): Promise<void> {
    const tables = await database.rows<{ name: string }>(
      `select oid::regclass::text as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
    );
    for (const { name } of tables) {
      await database.rows(`alter table ${name} set (autovacuum_enabled = off)`);
    }
  }

  /** As after a restore. */
  async function withoutStatistics(): Promise<void> {
    await database.rows(`delete from pg_statistic where starelid >= ${FIRST_OWN_OID}`);
    await database.rows(
      `update pg_class set reltuples = -1, relpages = 0, relallvisible = 0
       where oid >= ${FIRST_OWN_OID} and relkind in ('r', 'i')`,
    );
  }
});
