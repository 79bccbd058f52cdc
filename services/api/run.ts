import { createLog } from '../../platform/runtime/log.ts';
import { runProcess } from '../../platform/runtime/run-process.ts';
import { readApiConfig } from './config.ts';
import { startApi } from './start.ts';

await runProcess(() => {
  const config = readApiConfig(process.env);
  const log = createLog('api', config.LOG_LEVEL);
  return { log, boot: (lifecycle) => startApi(config, log, lifecycle), notice: config.SHUTDOWN_DELAY_MS };
});
