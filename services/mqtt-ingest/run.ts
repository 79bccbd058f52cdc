import { createLog } from '../../platform/runtime/log.ts';
import { runProcess } from '../../platform/runtime/run-process.ts';
import { readIngestConfig } from './config.ts';
import { startIngestProcess } from './start.ts';

await runProcess(() => {
  const config = readIngestConfig(process.env);
  const log = createLog('ingest', config.LOG_LEVEL);
  return { log, boot: (lifecycle) => startIngestProcess(config, log, lifecycle) };
});
