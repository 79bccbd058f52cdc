import { createLog } from '../../platform/runtime/log.ts';
import { runProcess } from '../../platform/runtime/run-process.ts';
import { readConsoleConfig } from './config.ts';
import { startConsole } from './start.ts';

await runProcess(() => {
  const config = readConsoleConfig(process.env);
  const log = createLog('console', config.LOG_LEVEL);
  return { log, boot: (lifecycle) => startConsole(config, log, lifecycle), notice: config.SHUTDOWN_DELAY_MS };
});
