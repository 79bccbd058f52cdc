import { pino } from 'pino';
import { Lifecycle } from '../../../platform/runtime/lifecycle.ts';
import { createLog } from '../../../platform/runtime/log.ts';
import { readIngestConfig } from '../../../services/mqtt-ingest/config.ts';
import { startIngestProcess } from '../../../services/mqtt-ingest/start.ts';
import { endWithParent } from './serve.ts';

/** Ingestion from a broker, as `services/mqtt-ingest/main.ts` starts it. */
const config = readIngestConfig(process.env);
const lifecycle = new Lifecycle(pino({ level: 'silent' }));
const { url } = await startIngestProcess(config, createLog('ingest', 'info'), lifecycle);
endWithParent();
process.once('SIGTERM', async () => {
  await lifecycle.stop();
  process.exit();
});
process.send?.({ url });
