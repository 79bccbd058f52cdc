import { createLog } from '../../platform/runtime/log.ts';
import { runProcess } from '../../platform/runtime/run-process.ts';
import { readGatewayConfig } from './config.ts';
import { startGateway } from './start.ts';

await runProcess(() => {
  const config = readGatewayConfig(process.env);
  const log = createLog('handheld-gateway', config.LOG_LEVEL);
  return { log, boot: (lifecycle) => startGateway(config, log, lifecycle), notice: config.SHUTDOWN_DELAY_MS };
});
