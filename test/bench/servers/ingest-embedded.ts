import { pino } from 'pino';
import { Registry } from 'prom-client';
import { Lifecycle } from '../../../platform/runtime/lifecycle.ts';
import { createLog } from '../../../platform/runtime/log.ts';
import { startEmbeddedIngest } from '../../../services/mqtt-ingest/ingest.ts';
import { startJobs } from '../../../services/worker/start-jobs.ts';
import { ingestConfig } from '../../support/ingest.ts';
import { jobConfig } from '../../support/worker.ts';
import { endWithParent } from './serve.ts';

/** Ingestion with its own broker and the worker's jobs, as `npm start` has them, on any port. */
const lifecycle = new Lifecycle(pino({ level: 'silent' }));
const databaseUrl = String(process.env['DATABASE_URL']);
const log = createLog('ingest', 'info');
await startJobs(jobConfig(databaseUrl), { log, lifecycle, metrics: new Registry() });
const { port } = await startEmbeddedIngest(
  {
    ...ingestConfig(databaseUrl),
    // A publisher stands for many readers.
    READER_MESSAGES_PER_SECOND: 1_000_000,
    READER_READS_PER_SECOND: 10_000_000,
    READER_BYTES_PER_SECOND: 1_073_741_824,
    SCAN_RETENTION_DAYS: 30,
    LATENESS_DAYS: 30,
  },
  log,
  lifecycle,
);
endWithParent();
process.once('SIGTERM', async () => {
  await lifecycle.stop();
  process.exit();
});
process.send?.({ url: `mqtt://127.0.0.1:${port}` });
