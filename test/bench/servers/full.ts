import { pino } from 'pino';
import { Lifecycle } from '../../../platform/runtime/lifecycle.ts';
import { createLog } from '../../../platform/runtime/log.ts';
import { readApiConfig } from '../../../services/api/config.ts';
import { startApi } from '../../../services/api/start.ts';
import { endWithParent } from './serve.ts';

/** The API as it is started by `services/api/main.ts`, on any port. */
const log = createLog('api', 'info');
const lifecycle = new Lifecycle(pino({ level: 'silent' }));
const config = { ...readApiConfig(process.env), API_PORT: 0 };
const { url } = await startApi(config, log, lifecycle);
endWithParent();
process.once('SIGTERM', async () => {
  await lifecycle.stop();
  process.exit();
});
process.send?.({ url });
