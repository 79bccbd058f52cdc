import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { measureRate, measureTelling } from './alerts/beside-ingestion.ts';
import { measureTakeover } from './alerts/takeover.ts';
import { openDatabaseServer } from './database-server.ts';
import { install } from './ingest/installation.ts';
import { copySite, createSite } from './ingest/site.ts';

/**
 * What alerts cost ingestion, how soon they are told, and how long a process that takes over needs: `npm run bench:alerts`.
 * 20 rules, a fifth of the reads are moves.
 */
const { values } = parseArgs({
  options: {
    assets: { type: 'string', default: '1e5' },
    count: { type: 'string', default: '1e5' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '60' },
  },
});
const [assets, count, rounds] = [values.assets, values.count, values.rounds].map(Number) as [
  number,
  number,
  number,
];
console.log(`Node.js ${process.version}, ${cpus().length} cores, ${cpus()[0]?.model ?? ''}`);
console.log(
  `${assets} assets, 20 rules; medians of ${rounds} rounds (lowest to highest), ${count} reads each`,
);

const server = await openDatabaseServer();
const site = await createSite(server.url, assets, assets);
const copy = await copySite(server.url, site);
try {
  const installed = await install(site, ['embedded']);
  try {
    await measureRate(installed, copy, { rounds, count });
    await measureTelling(installed, copy, { count, seconds: Number(values.seconds) });
  } finally {
    await installed.stop();
  }
  await measureTakeover(site.url);
} finally {
  await site.drop();
  await copy.drop();
  await server.close();
}
