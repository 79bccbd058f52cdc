import { expect } from 'chai';
import type { Scan } from '../../../domain/tracking/scan.ts';
import { recordIn } from '../../support/concurrently.ts';
import { useDatabase } from '../../support/database.ts';
import { aRead, record, storedHistory } from '../../support/recording.ts';
import { Site } from '../../support/site.ts';
import { costOfRecording } from './cost.ts';

const START = Date.UTC(2026, 4, 1, 10) * 1_000;
const second = (count: number) => START + count * 1_000_000;

describe('the cost of recording', () => {
  const database = useDatabase();
  let site: Site;
  let readerId: number;
  let assets = 0;
  const locations: number[] = [];

  before(async () => {
    site = await Site.create(database);
    locations.push(await site.location('A'), await site.location('B'));
    readerId = await site.reader('dock', locations);
  });

  /** An asset that was read at alternate locations, once a second. */
  async function assetWith(stored: number): Promise<{ id: number; value: string }> {
    const value = `crate-${++assets}`;
    const id = await site.asset(value, value);
    const scans = Array.from({ length: stored }, (_, index) => scanOf(value, second(index), index));
    await record(database, scans);
    expect(await storedHistory(database, id)).to.have.length(stored);
    return { id, value };
  }

  const scanOf = (value: string, at: number, location: number): Scan =>
    aRead({ orgId: site.orgId, readerId, value, locationId: locations[location % 2] ?? 0, at });

  const costOf = (scans: readonly Scan[]) => costOfRecording(database, scans);

  it('does not grow with the number of spellings that an asset has of one tag', async () => {
    const spellings = Array.from({ length: 2_000 }, (_, at) =>
      at.toString(2).padStart(11, '0').replaceAll('0', '-').replaceAll('1', ' ').concat('E28011'),
    );
    const assetId = await site.asset('crate-spelled', 'E2-80-11');
    await database.rows(
      `insert into tags (org_id, asset_id, tag_type, value, tag_key)
      select $1, $2, 'rfid', value, 'E28011' from unnest($3::text[]) as given (value)`,
      [site.orgId, assetId, spellings],
    );
    const { rows } = await costOf(spellings.map((value, at) => scanOf(value, second(at), 0)));
    expect(rows).to.be.within(spellings.length, 20 * spellings.length);
  });

  const arrivals: [string, (stored: number) => number][] = [
    ['the newest scan', (stored) => second(stored) + 1],
    ['a late scan', (stored) => second(stored / 2) + 1],
    ['a late scan that makes a stay', (stored) => second(stored / 2 + 1) + 1],
    ['a scan earlier than all others', () => START - 1],
  ];
  for (const [what, at] of arrivals) {
    it(`does not grow with the stored scans of the asset, for ${what}`, async () => {
      const few = await assetWith(12);
      const many = await assetWith(2_000);
      const little = await costOf([scanOf(few.value, at(12), 0)]);
      const much = await costOf([scanOf(many.value, at(2_000), 0)]);
      expect(much.statements).to.equal(little.statements);
      // Of a long history the mark after the row is adjusted, too.
      expect(much.rows).to.be.within(little.rows, little.rows + 1);
      expect(little.statements).to.be.within(1, 20);
      expect(little.rows).to.be.within(1, 40);
    });
  }

  it('has nothing of counting positions but when an asset is seen for the first time', async () => {
    const seen = await assetWith(1);
    await site.asset('crate-new', 'crate-new');
    const countings = async (scan: Scan) => {
      const client = await database.pool.connect();
      try {
        await client.query(`begin; set local track_functions = 'pl'`);
        await recordIn(client, [scan]);
        const { rows } = await client.query<{ calls: number }>(
          `select coalesce(sum(calls), 0)::integer as calls from pg_stat_xact_user_functions
           where funcname = 'count_positions'`,
        );
        return rows[0]?.calls;
      } finally {
        await client.query('rollback');
        client.release();
      }
    };
    expect(await countings(scanOf(seen.value, second(1), 1))).to.equal(0);
    expect(await countings(scanOf('crate-new', second(1), 1))).to.equal(1);
  });

  it('does not grow in statements with the size of the batch', async () => {
    const standing: { id: number; value: string }[] = [];
    for (let count = 0; count < 40; count++) {
      standing.push(await assetWith(2));
    }
    const [first, ...others] = standing.map(({ value }) => scanOf(value, second(60), 1));
    const single = await costOf(first === undefined ? [] : [first]);
    const batch = await costOf(others);
    expect(batch.statements).to.equal(single.statements);
  });

  it('does not grow in statements with the stays that late scans begin anew', async () => {
    const seen: { id: number; value: string }[] = [];
    for (let count = 0; count < 40; count++) {
      seen.push(await assetWith(2));
    }
    const [first, ...others] = seen.map(({ value }) => scanOf(value, second(1) - 1, 1));
    const single = await costOf(first === undefined ? [] : [first]);
    const batch = await costOf(others);
    for (const { id } of seen) {
      expect((await storedHistory(database, id)).map(({ observedAt }) => observedAt)).to.deep.equal([
        second(0),
        second(1) - 1,
      ]);
    }
    // One in 512 stays is marked besides.
    expect(batch.statements).to.be.at.most(single.statements + 1);
  });

  it('is less for the newest scan at the location where its asset is than for a move', async () => {
    const still = await assetWith(10);
    const moving = await assetWith(10);
    const stay = await costOf([scanOf(still.value, second(60), 9)]);
    const move = await costOf([scanOf(moving.value, second(60), 10)]);
    expect(stay.rows).to.be.at.most(move.rows);
    expect(stay.statements).to.be.at.most(move.statements);
  });
});
