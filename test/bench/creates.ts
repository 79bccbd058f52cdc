import pg from 'pg';
import { connectionConfig } from '../../db/timescale/connections/connection.ts';
import { show, spreadOf } from '../support/statistics.ts';
import { interleaved } from './interleaved.ts';
import type { BenchOptions } from './options.ts';
import { type Filled, fill } from './rows/seed.ts';

const ASSETS = 100_000;
const SINGLES = 2_000;
const BULK = 50_000;

/** What the counts behind the lists' totals cost those who create assets: with them, and without them. */
export async function benchCreates(serverUrl: string, options: BenchOptions): Promise<void> {
  const counted = await open(serverUrl, ASSETS);
  // A database of a size of its own, because its name has the size.
  const uncounted = await open(serverUrl, ASSETS + 1);
  await uncounted.client.query(UNCOUNT);
  const singles = await interleaved(options.repetitions, {
    counted: () => counted.createSingles(),
    uncounted: () => uncounted.createSingles(),
  });
  const bulk = await interleaved(options.repetitions, {
    counted: () => counted.createBulk(),
    uncounted: () => uncounted.createBulk(),
  });
  console.log('\nCreating assets: one in a transaction of its own, us; 50,000 in one statement, ms');
  for (const name of ['counted', 'uncounted'] as const) {
    console.log(
      `  ${name.padEnd(10)} ${show(spreadOf(singles[name]), 0)}   ${show(spreadOf(bulk[name]), 0)}`,
    );
  }
  for (const { client, filled } of [counted, uncounted]) {
    await client.end();
    await filled.drop();
  }
}

/** Without the counts of live rows. */
const UNCOUNT = `
  drop table live_row_counts;
  drop function count_live_rows, add_live_rows, recount_live_rows cascade;
  drop index assets__org_id_valid_from, assets__org_id_valid_to;`;

interface Opened {
  filled: Filled;
  client: pg.Client;
  /** @returns microseconds for each. */
  createSingles(): Promise<number>;
  /** @returns milliseconds for all. */
  createBulk(): Promise<number>;
}

async function open(serverUrl: string, assets: number): Promise<Opened> {
  const filled = await fill(serverUrl, { assets, scans: 0 });
  const client = new pg.Client(connectionConfig(filled.url));
  await client.connect();
  const create = (rows: number) =>
    client.query({ name: 'create', text: CREATE, values: [filled.orgId, rows] });
  return {
    filled,
    client,
    createSingles: async () => {
      const start = performance.now();
      for (let created = 0; created < SINGLES; created++) {
        await create(1);
      }
      return ((performance.now() - start) / SINGLES) * 1_000;
    },
    createBulk: async () => {
      const start = performance.now();
      await create(BULK);
      return performance.now() - start;
    },
  };
}

const CREATE = `insert into assets (org_id, external_key, name)
  select $1, gen_random_uuid(), 'Pallet' from generate_series(1, $2::integer)`;
