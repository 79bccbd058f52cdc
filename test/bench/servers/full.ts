import { pino } from 'pino';
import { Registry } from 'prom-client';
import { Lifecycle } from '../../../platform/runtime/lifecycle.ts';
import { createLog } from '../../../platform/runtime/log.ts';
import { readApiConfig } from '../../../services/api/config.ts';
import { startApi } from '../../../services/api/start.ts';
import { startJobs } from '../../../services/worker/start-jobs.ts';
import { jobConfig } from '../../support/worker.ts';
import { endWithParent } from './serve.ts';

/** The API as it is started by `services/api/main.ts`, on any port; with SECRETS_KEY the worker's jobs in the same process. */
const log = createLog('api', 'info');
const lifecycle = new Lifecycle(pino({ level: 'silent' }));
const config = { ...readApiConfig(process.env), API_PORT: 0 };
const { url } = await startApi(config, log, lifecycle);
const { DATABASE_URL, SECRETS_KEY, WEBHOOK_NETWORKS } = config;
if (SECRETS_KEY !== null) {
  const settings = { ...jobConfig(DATABASE_URL), SECRETS_KEY, WEBHOOK_NETWORKS };
  await startJobs(settings, { log, lifecycle, metrics: new Registry() });
}
endWithParent();
process.once('SIGTERM', async () => {
  await lifecycle.stop();
  process.exit();
});
process.send?.({ url });
