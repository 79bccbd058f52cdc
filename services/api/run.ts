import { createLog } from '../shared/runtime/log.ts';
import { runProcess } from '../shared/runtime/run-process.ts';
import { readApiConfig } from './config.ts';
import { startApi } from './start.ts';

await runProcess(() => {
  const config = readApiConfig(process.env);
  const log = createLog('api', config.LOG_LEVEL);
  return { log, boot: (lifecycle) => startApi(config, log, lifecycle), notice: config.SHUTDOWN_DELAY_MS };
});
