import { createLog } from '../shared/runtime/log.ts';
import { runProcess } from '../shared/runtime/run-process.ts';
import { readGatewayConfig } from './config.ts';
import { startGateway } from './start.ts';

await runProcess(() => {
  const config = readGatewayConfig(process.env);
  const log = createLog('handheld-gateway', config.LOG_LEVEL);
  return { log, boot: (lifecycle) => startGateway(config, log, lifecycle), notice: config.SHUTDOWN_DELAY_MS };
});
