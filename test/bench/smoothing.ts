import { randomBytes } from 'node:crypto';
import { cpus } from 'node:os';
import { MICROS_PER_DAY, MICROS_PER_SECOND } from '../../base/instant.ts';
import type { PoolClient } from '../../db/timescale/connections/client.ts';
import { withDatabase } from '../../db/timescale/connections/database-url.ts';
import { createWritePool } from '../../db/timescale/connections/pool.ts';
import { inTransaction } from '../../db/timescale/connections/transaction.ts';
import { createDatabase } from '../../db/timescale/schema/create-database.ts';
import { migrate } from '../../db/timescale/schema/migrate.ts';
import { recordScans } from '../../domain/tracking/record.ts';
import type { Scan } from '../../domain/tracking/scan.ts';
import { show, spreadOf } from '../support/statistics.ts';
import { openDatabaseServer } from './database-server.ts';
import { interleaved } from './interleaved.ts';

/**
 * What smoothing costs the recorder: `node test/bench/smoothing.ts [repetitions]`. Five hundred assets are read once a
 * second, in batches of a second, one after the other; `README.md` beside this file has the figures.
 */
const ASSETS = 500;
const BATCHES = 60;
const repetitions = Number(process.argv[2] ?? 5);

/** In which second an asset is where: 0 or 1. */
const standing = () => 0;
const moving = (second: number, asset: number) => Math.floor((second + asset) / 60) % 2;
const bouncing = (second: number, asset: number) => (second + asset) % 2;
const someBouncing = (second: number, asset: number) => (asset % 20 === 0 ? bouncing(second, asset) : 0);

const server = await openDatabaseServer();
const url = withDatabase(server.url, `bench_smoothing_${randomBytes(4).toString('hex')}`);
await createDatabase(url);
await migrate(url);
const pool = createWritePool(url, { max: 1 });
const MEASURED = {
  'standing, off': await organization(false, standing),
  'standing, on': await organization(true, standing),
  'moving, off': await organization(false, moving),
  'moving, on': await organization(true, moving),
  'some bouncing, off': await organization(false, someBouncing),
  'some bouncing, on': await organization(true, someBouncing),
  'all bouncing, off': await organization(false, bouncing),
  'all bouncing, on': await organization(true, bouncing),
};
const results = await interleaved(repetitions, MEASURED);
console.log(`Node.js ${process.version}, ${cpus().length} cores, ${cpus()[0]?.model ?? ''}`);
console.log(
  `Scans/s, and us of Node.js's time for each; medians of ${repetitions} rounds (lowest to highest)`,
);
for (const [label, rounds] of Object.entries(results)) {
  const rates = spreadOf(rounds.map(({ rate }) => rate));
  const times = spreadOf(rounds.map(({ cpu }) => cpu));
  console.log(`  ${label.padEnd(20)} ${show(rates, 0).padEnd(26)} ${show(times, 1)}`);
}
await pool.end();
await server.close();

/** An organization of its own, and how to record the next seconds of it. */
async function organization(isSmoothed: boolean, placeAt: (second: number, asset: number) => number) {
  const [org] = await rows(`insert into organizations (name) values ('Bench') returning id`, []);
  const orgId = org?.id ?? 0;
  const places = await rows(
    `insert into locations (org_id, external_key, name) values ($1, 'A', 'A'), ($1, 'B', 'B') returning id`,
    [orgId],
  );
  await rows(
    `with made as (
       insert into assets (org_id, external_key, name) select $1, 'A-' || n, 'A-' || n from generate_series(1, $2) n
       returning id, external_key
     )
     insert into tags (org_id, tag_type, value, tag_key, asset_id)
     select $1, 'barcode', external_key, external_key, id from made returning id`,
    [orgId, ASSETS],
  );
  const now = Date.now() * 1_000;
  if (isSmoothed) {
    await rows(
      `insert into smoothing_settings (org_id, valid_from, mode, window_seconds, min_seconds)
       values ($1, time_of_micros($2), 'on', 30, 5) returning id`,
      [orgId, now],
    );
  }
  let second = 0;
  return async () => {
    const batches = Array.from({ length: BATCHES }, () => {
      second++;
      return Array.from({ length: ASSETS }, (_, asset) =>
        aScan(orgId, asset, now + second * MICROS_PER_SECOND, places[placeAt(second, asset)]?.id ?? 0),
      );
    });
    const cpuBefore = process.cpuUsage();
    const before = performance.now();
    for (const batch of batches) {
      await inTransaction(pool, (client) => recordIn(client, batch));
    }
    const seconds = (performance.now() - before) / 1_000;
    const { user, system } = process.cpuUsage(cpuBefore);
    return { rate: (BATCHES * ASSETS) / seconds, cpu: (user + system) / (BATCHES * ASSETS) };
  };
}

function recordIn(client: PoolClient, scans: readonly Scan[]) {
  const rules = { lateness: 30 * MICROS_PER_DAY, retention: 30 * MICROS_PER_DAY };
  return recordScans(client, scans, { rules, now: scans[0]?.receivedAt ?? 0, isCareful: false });
}

function aScan(orgId: number, asset: number, at: number, locationId: number): Scan {
  return {
    orgId,
    tagType: 'barcode',
    value: `A-${asset + 1}`,
    locationId,
    deviceTime: at,
    receivedAt: at,
    rssi: -60,
    source: {
      kind: 'reader',
      readerId: 1,
      antenna: 1,
      isShutOut: false,
      reportUnknown: false,
      isRedelivery: false,
    },
  };
}

async function rows(sql: string, values: unknown[]): Promise<{ id: number }[]> {
  return (await pool.query<{ id: number }>(sql, values)).rows;
}
