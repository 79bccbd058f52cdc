import { cpus } from 'node:os';
import { ulid } from 'ulid';
import { databaseOn } from '../../db/timescale/connections/database.ts';
import { createWritePool } from '../../db/timescale/connections/pool.ts';
import { createHandheld } from '../../domain/administration/handhelds/create-handheld.ts';
import { TEST_ACTOR } from '../support/actor.ts';
import { quantile } from '../support/statistics.ts';
import { typedOptions } from '../support/typed-options.ts';
import { openDatabaseServer } from './database-server.ts';
import { interleaved } from './interleaved.ts';
import { startServer } from './processes.ts';
import { fill } from './rows/seed.ts';

/** Measures submissions of 1000 scans; `README.md` beside this file says how to read it. */
const { values } = typedOptions('bench:handheld', {
  options: {
    scans: { type: 'string', default: '1e6' },
    assets: { type: 'string', default: '2e4' },
    repetitions: { type: 'string', default: '25' },
  },
});
const [SCANS, ASSETS, REPETITIONS] = [values.scans, values.assets, values.repetitions].map(Number) as [
  number,
  number,
  number,
];
const A_SUBMISSION = 1000;
const SHELF = 50;

const server = await openDatabaseServer();
const filled = await fill(server.url, { assets: ASSETS, scans: SCANS });
const pool = createWritePool(filled.url, { max: 1 });
const { token } = await createHandheld(databaseOn(pool), TEST_ACTOR, { orgId: filled.orgId, name: 'bench' });
await pool.query(
  `insert into tags (org_id, tag_type, value, tag_key, location_id)
   select org_id, 'barcode', external_key, external_key, id from locations`,
);
await pool.end();
// What is stored was scanned in January 2026; a late scan of it must not be too late.
const gateway = await startServer('servers/gateway.ts', {
  DATABASE_URL: filled.url,
  LATENESS_DAYS: '36500',
  SCAN_RETENTION_DAYS: '36500',
});

let turn = 0;
const iso = (ms: number) => new Date(ms).toISOString();
const valueOfTag = (asset: number) => `E280${String(asset).padStart(20, '0')}`;

/** A walk along shelves: a location's tag, and the assets there. @param valueAt the value of the scan. */
function submission(valueAt: (asset: number) => string, observedAt: (asset: number) => number) {
  turn += 1;
  const scans = Array.from({ length: A_SUBMISSION }, (_, index) => {
    if (index % SHELF === 0) {
      const location = 1 + ((turn * 13 + index / SHELF) % 200);
      const value = `LOC-${String(location).padStart(4, '0')}`;
      return { tag_type: 'barcode', value, observed_at: iso(observedAt(1)) };
    }
    const asset = 1 + ((turn * 7_919 + index * 17) % ASSETS);
    return { tag_type: 'rfid', value: valueAt(asset), observed_at: iso(observedAt(asset)), rssi: -54 };
  });
  return { submission_id: ulid(), sent_at: iso(Date.now()), scans };
}

async function send(body: object): Promise<number> {
  const start = performance.now();
  const response = await fetch(`${gateway.url}/handheld/v1/submissions`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  await response.arrayBuffer();
  if (!response.ok) {
    throw new Error(`answered with ${response.status}`);
  }
  return performance.now() - start;
}

const january = Date.UTC(2026, 0, 1);
const halfWay = (SCANS / ASSETS / 2) * 60_000 + 30_000;
const last = submission(valueOfTag, () => Date.now());
await send(last);
try {
  const results = await interleaved(REPETITIONS, {
    'assets that move': () => send(submission(valueOfTag, () => Date.now())),
    'late scans, in the middle of each history': () =>
      send(submission(valueOfTag, (asset) => january + halfWay + turn * 1000 + asset)),
    'unknown tags': () =>
      send(
        submission(
          (asset) => `F${turn}${asset}`,
          () => Date.now(),
        ),
      ),
    'sent again': () => send(last),
  });
  console.log(`Node.js ${process.version}, ${cpus().length} cores, ${cpus()[0]?.model ?? ''}`);
  console.log(
    `${A_SUBMISSION} scans in a submission, ${SCANS} stored, ${ASSETS} assets, ${REPETITIONS} times, ms`,
  );
  for (const [name, times] of Object.entries(results)) {
    const sorted = times.toSorted((a, b) => a - b);
    const [low, p50, p95] = [0, 0.5, 0.95].map((fraction) => quantile(sorted, fraction).toFixed(0));
    console.log(`  ${name.padEnd(42)} median ${p50}, p95 ${p95}, ${low} to ${sorted.at(-1)?.toFixed(0)}`);
  }
} finally {
  await gateway.stop();
  await filled.drop();
  await server.close();
}
