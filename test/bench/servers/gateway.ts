import { pino } from 'pino';
import { Lifecycle } from '../../../platform/runtime/lifecycle.ts';
import { createLog } from '../../../platform/runtime/log.ts';
import { readGatewayConfig } from '../../../services/handheld-gateway/config.ts';
import { startGateway } from '../../../services/handheld-gateway/start.ts';
import { endWithParent } from './serve.ts';

/** The handheld gateway as it is started by `services/handheld-gateway/main.ts`, on any port. */
const lifecycle = new Lifecycle(pino({ level: 'silent' }));
const config = { ...readGatewayConfig(process.env), HANDHELD_PORT: 0 };
const { url } = await startGateway(config, createLog('handheld-gateway', 'info'), lifecycle);
endWithParent();
process.once('SIGTERM', async () => {
  await lifecycle.stop();
  process.exit();
});
process.send?.({ url });
