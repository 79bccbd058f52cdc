import { expect } from 'chai';
import type pg from 'pg';
import type { Scan } from '../../../../services/shared/tracking/scan.ts';
import { type TestDatabase, useDatabase } from '../../../support/database.ts';
import { Site } from '../../../support/site.ts';
import { recordIn } from '../concurrently.ts';
import { aRead, record } from '../recording.ts';
import { storeSettings } from '../smoothing/stored-settings.ts';
import { type Measured, MeasuredClient } from './measured-client.ts';

const SECOND = 1_000_000;
const START = Date.UTC(2026, 4, 1, 10) * 1_000;
const ASSETS = 250;
const READS = 100;

/**
 * The same batch is recorded, and rolled back, on the same rows without statistics and with them. What it takes is
 * counted and not timed. Two organizations take part: one without smoothing, one with.
 */
describe('a batch of late reads on tables without statistics', function () {
  this.timeout(300_000);
  const database = useDatabase();
  let plain: Half;
  let smoothed: Half;
  const measured: Record<string, ReadonlyMap<string, Measured>> = {};
  let batch: Scan[];

  before(async () => {
    await withoutAutovacuum();
    plain = await Half.create(database);
    smoothed = await Half.create(database);
    await storeSettings(database, smoothed.site.orgId, [
      {
        locationId: null,
        validFrom: START - 3600 * SECOND,
        smoothing: { window: 20 * SECOND, minimum: 20 * SECOND, margin: null },
      },
    ]);
    const early = await MeasuredClient.connect(database.url, 'force_generic_plan');
    const custom = await MeasuredClient.connect(database.url, 'force_custom_plan');
    const generic = await MeasuredClient.connect(database.url, 'force_generic_plan');
    const withStatistics = await MeasuredClient.connect(database.url, 'force_custom_plan');
    try {
      // Plans that are made while the tables are nearly empty, which the statistics say, too.
      await record(database, [...plain.reads(0, 2, 1), ...smoothed.reads(0, 2, 1)]);
      await database.rows('analyze');
      await early.measure((client) => recordIn(client, [...plain.late(2), ...smoothed.late(2)]));
      for (const half of [plain, smoothed]) {
        for (let first = 0; first < ASSETS; first += 10) {
          await record(database, half.reads(first, first + 10, READS));
        }
      }
      batch = [...plain.late(ASSETS), ...smoothed.late(ASSETS)];
      const late = (client: pg.Client) => recordIn(client, batch);
      measured['planned early'] = await early.measure(late);
      await withoutStatistics();
      measured['planned each time'] = await custom.measure(late);
      measured['planned once'] = await generic.measure(late);
      await database.rows('analyze');
      measured['with statistics'] = await withStatistics.measure(late);
    } finally {
      for (const { client } of [early, custom, generic, withStatistics]) {
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
      'lock-locations',
      'lock-positions',
      'insert-positions',
      'put-transitions',
      'record-unknown-tags',
      'resolve-tags',
      'scans-ahead-of-stretches',
      'strengthen-scan-events',
      'trim-unknown-tags',
      'update-positions',
    ]);
  });

  for (const when of ['planned each time', 'planned once', 'planned early']) {
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
    const most = [...(measured['planned each time'] ?? [])].map(([name, { rows, pages }]) => ({
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

/** Below are the catalogs'. */
const FIRST_OWN_OID = 16_384;

/** Assets of an organization of their own, which are read every ten seconds, at A and at B in turn. */
class Half {
  readonly site: Site;
  readonly #places: readonly number[];
  readonly #readerId: number;
  readonly #handheldId: number;

  private constructor(site: Site, places: readonly number[], readerId: number, handheldId: number) {
    this.site = site;
    this.#places = places;
    this.#readerId = readerId;
    this.#handheldId = handheldId;
  }

  static async create(database: TestDatabase): Promise<Half> {
    const site = await Site.create(database);
    const places = [await site.location('A'), await site.location('B')];
    const readerId = await site.reader(`dock-${site.orgId}`, [null]);
    const [handheld] = await database.rows<{ id: number }>(
      `insert into handhelds (org_id, name, token_sha256) values ($1, 'one', sha256('one')) returning id`,
      [site.orgId],
    );
    // One more than is ever read in time.
    for (let asset = 0; asset <= ASSETS; asset++) {
      await site.asset(`crate-${asset}`, `crate-${asset}`);
    }
    return new Half(site, places, readerId, handheld?.id ?? 0);
  }

  /** Of the assets from `first` up to `end`: as many reads of each, and a scan by hand. */
  reads(first: number, end: number, count: number): Scan[] {
    return span(first, end).flatMap((asset) => [
      ...span(0, count).map((read) => this.#read(asset, read * 10, read)),
      ...this.#byHand(asset),
    ]);
  }

  /** Late and repeated reads of the first `assets`: a new one, one that is stored, one that was weaker, one by hand. */
  late(assets: number): Scan[] {
    return [
      ...span(0, assets).flatMap((asset) => [
        this.#read(asset, (asset % (READS - 10)) * 10 + 15, asset),
        this.#read(asset, 0, 0),
        { ...this.#read(asset, 10, 1), rssi: -40 },
        ...this.#byHand(asset),
        // The first of all; with it in view, the turns that follow prove nothing any more.
        this.#read(asset, -15, 1),
      ]),

      this.#read(ASSETS, 0, 0),
      ...span(0, assets).map((index) => ({ ...this.#read(0, index, 0), value: `stranger-${index}` })),
    ];
  }

  #read(asset: number, second: number, place: number): Scan {
    const { orgId } = this.site;
    const locationId = this.#places[place % 2] ?? 0;
    return aRead({
      orgId,
      readerId: this.#readerId,
      value: `crate-${asset}`,
      locationId,
      at: START + second * SECOND,
    });
  }

  /** Of every other asset. */
  #byHand(asset: number): Scan[] {
    const source = {
      kind: 'handheld',
      handheldId: this.#handheldId,
      submissionId: `walk-${asset}`,
      index: 0,
    } as const;
    return asset % 2 === 0 ? [{ ...this.#read(asset, 5, 0), source }] : [];
  }
}

function span(first: number, end: number): number[] {
  return Array.from({ length: end - first }, (_, index) => first + index);
}
