import { monitorEventLoopDelay } from 'node:perf_hooks';
import { pino } from 'pino';
import { Lifecycle } from '../../../services/shared/runtime/lifecycle.ts';
import { readStandaloneConfig } from '../../../services/standalone/config.ts';
import { startStandalone } from '../../../services/standalone/standalone.ts';
import { endWithParent } from './serve.ts';

/**
 * Everything in one process, on any ports, for callers without a rate limit. Asked by a message, it says how long its
 * event loop was held at most since it was asked before, and what its thread has had of the processor, in milliseconds.
 */
const RESOLUTION = 2;
const lifecycle = new Lifecycle(pino({ level: 'silent' }));
const config = {
  ...readStandaloneConfig(process.env),
  API_PORT: 0,
  HANDHELD_PORT: 0,
  MQTT_PORT: 0,
  RATE_LIMIT_PER_MINUTE: 6_000_000,
  RATE_LIMIT_BURST: 6_000_000,
  HANDHELD_RATE_LIMIT_PER_MINUTE: 6_000_000,
  HANDHELD_RATE_LIMIT_BURST: 6_000_000,
};
const { apiUrl, handheldUrl, mqttUrl } = await startStandalone(config, pino({ level: 'silent' }), lifecycle);
const delays = monitorEventLoopDelay({ resolution: RESOLUTION });
delays.enable();
process.on('message', () => {
  const { user, system } = process.threadCpuUsage();
  process.send?.({ heldMs: Math.max(0, delays.max / 1e6 - RESOLUTION), cpuMs: (user + system) / 1e3 });
  delays.reset();
});
endWithParent();
process.once('SIGTERM', async () => {
  await lifecycle.stop();
  process.exit();
});
process.send?.({ url: apiUrl, handheldUrl, mqttUrl });
