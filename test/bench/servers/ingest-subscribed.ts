import { pino } from 'pino';
import { Registry } from 'prom-client';
import { Lifecycle } from '../../../platform/runtime/lifecycle.ts';
import { createLog } from '../../../platform/runtime/log.ts';
import { readIngestConfig } from '../../../services/mqtt-ingest/config.ts';
import { startIngestProcess } from '../../../services/mqtt-ingest/start.ts';
import { startJobs } from '../../../services/worker/start-jobs.ts';
import { jobConfig } from '../../support/worker.ts';
import { endWithParent } from './serve.ts';

/** Ingestion from a broker, as `services/mqtt-ingest/main.ts` starts it, and the worker's jobs in the same process. */
const config = readIngestConfig(process.env);
const lifecycle = new Lifecycle(pino({ level: 'silent' }));
const log = createLog('ingest', 'info');
await startJobs(jobConfig(config.DATABASE_URL), { log, lifecycle, metrics: new Registry() });
const { url } = await startIngestProcess(config, log, lifecycle);
endWithParent();
process.once('SIGTERM', async () => {
  await lifecycle.stop();
  process.exit();
});
process.send?.({ url });
