import { createLog } from '../../platform/runtime/log.ts';
import { runProcess } from '../../platform/runtime/run-process.ts';
import { readWorkerConfig } from './config.ts';
import { startWorkerProcess } from './start.ts';

await runProcess(() => {
  const config = readWorkerConfig(process.env);
  const log = createLog('worker', config.LOG_LEVEL);
  return { log, boot: (lifecycle) => startWorkerProcess(config, log, lifecycle) };
});
