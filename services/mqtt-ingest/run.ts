import { createLog } from '../shared/runtime/log.ts';
import { runProcess } from '../shared/runtime/run-process.ts';
import { readIngestConfig } from './config.ts';
import { startIngestProcess } from './start.ts';

await runProcess(() => {
  const config = readIngestConfig(process.env);
  const log = createLog('ingest', config.LOG_LEVEL);
  return { log, boot: (lifecycle) => startIngestProcess(config, log, lifecycle) };
});
