import { cpus } from 'node:os';
import { openDatabaseServer } from './database-server.ts';
import { benchBesideHall } from './ingest/beside-hall.ts';
import { benchFeed } from './ingest/feed.ts';
import { benchFloor } from './ingest/floor.ts';
import { benchLatency } from './ingest/latency.ts';
import { benchLocation } from './ingest/location.ts';
import { benchMemory } from './ingest/memory.ts';
import { benchMoves } from './ingest/moves.ts';
import { type IngestPart, readIngestOptions } from './ingest/options.ts';
import { benchRabbitmq } from './ingest/rabbitmq.ts';
import { benchRecorder } from './ingest/recorder.ts';
import { benchOutage, benchRecovery } from './ingest/recovery.ts';
import { onServer } from './ingest/site.ts';
import { benchSteady } from './ingest/steady.ts';
import { benchStorage } from './ingest/storage.ts';
import { benchHistory, benchOddities, benchThroughput } from './ingest/throughput.ts';

/** Measures ingestion; `INGEST.md` beside this file says how to read it. */
const options = readIngestOptions();
const server = await openDatabaseServer();
const version = await onServer(
  server.url,
  async (client) => (await client.query('show server_version')).rows[0],
);
console.log(
  `Node.js ${process.version}, PostgreSQL ${version?.server_version}, ${cpus().length} cores, ${cpus()[0]?.model ?? ''}`,
);
console.log(`Medians of ${options.repetitions} rounds (lowest to highest), ${options.count} reads each`);

const parts: Record<IngestPart, () => Promise<void>> = {
  throughput: () => benchThroughput(server.url, options),
  oddities: () => benchOddities(server.url, options),
  floor: () => benchFloor(server.url, options),
  recorder: () => benchRecorder(server.url, options),
  history: () => benchHistory(server.url, options),
  latency: () => benchLatency(server.url, options),
  feed: () => benchFeed(server.url, options),
  moves: () => benchMoves(server.url, options),
  recovery: () => benchRecovery(server.url, options),
  outage: () => benchOutage(server.url, options),
  storage: () => benchStorage(server.url, options),
  rabbitmq: () => benchRabbitmq(server.url, options),
  steady: () => benchSteady(server.url, options),
  memory: () => benchMemory(server.url, options),
  location: () => benchLocation(server.url, options),
  'beside-hall': () => benchBesideHall(server.url, options),
};
try {
  for (const part of options.only) {
    await parts[part]();
  }
} finally {
  await server.close();
}
