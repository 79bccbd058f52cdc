import { cpus } from 'node:os';
import { measureBesideIngestion } from './alerts/beside-ingestion.ts';
import { readAlertOptions } from './alerts/options.ts';
import { measureTakeover } from './alerts/takeover.ts';
import { openDatabaseServer } from './database-server.ts';
import { copySite, createSite } from './ingest/site.ts';

/**
 * What alerts cost ingestion, how soon they are told, and how long a process that takes over needs: `npm run bench:alerts`.
 * 20 rules; `--moves 0.02,0.2` says which shares of the reads are moves, `--only rate,telling,takeover` what is measured;
 * with `--many` one move in forty opens an alert; with `--only rate --readings 3` rules are about values that come with
 * the reads.
 */
const options = readAlertOptions();
const { only, assets, count, rounds } = options;
console.log(`Node.js ${process.version}, ${cpus().length} cores, ${cpus()[0]?.model ?? ''}`);
console.log(
  `${assets} assets, 20 rules; medians of ${rounds} rounds (lowest to highest), ${count} reads each`,
);

const server = await openDatabaseServer();
const plain = await createSite(server.url, assets, assets);
const ruled = await copySite(server.url, plain, 'ruled');
const copy = await copySite(server.url, plain);
try {
  await measureBesideIngestion({ plain, ruled, copy }, options);
  if (only.includes('takeover')) {
    await measureTakeover(ruled.url);
  }
} finally {
  for (const site of [plain, ruled, copy]) {
    await site.drop();
  }
  await server.close();
}
