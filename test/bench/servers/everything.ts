import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { pino } from 'pino';
import { Lifecycle } from '../../../platform/runtime/lifecycle.ts';
import { readStandaloneConfig } from '../../../services/standalone/config.ts';
import { startStandalone } from '../../../services/standalone/standalone.ts';
import { endWithParent } from './serve.ts';

/**
 * Everything in one process, on any ports, with limits as the environment has them. Asked by a message, it says how long
 * its event loop was held at most since it was asked before, in all and in processor time, and what its thread and the process have had of the
 * processors, in milliseconds; or how much memory is in use once rubbish was collected.
 */
const RESOLUTION = 2;
const lifecycle = new Lifecycle(pino({ level: 'silent' }));
const config = {
  ...readStandaloneConfig(process.env),
  API_PORT: 0,
  HANDHELD_PORT: 0,
  CONSOLE_PORT: 0,
  MQTT_PORT: 0,
  READERS_PORT: 0,
};
const { apiUrl, handheldUrl, mqttUrl, consoleUrl } = await startStandalone(
  config,
  pino({ level: 'silent' }),
  lifecycle,
);
setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');
const delays = monitorEventLoopDelay({ resolution: RESOLUTION });
delays.enable();
let heldCpuMs = 0;
let lastMs = inMs(process.threadCpuUsage());
setInterval(() => {
  const nowMs = inMs(process.threadCpuUsage());
  heldCpuMs = Math.max(heldCpuMs, nowMs - lastMs);
  lastMs = nowMs;
}, 1);
process.on('message', (asked) => {
  if (asked === 'in use') {
    collectGarbage();
    const { heapUsed, external } = process.memoryUsage();
    process.send?.({ inUseMb: (heapUsed + external) / 1e6 });
    return;
  }
  const heldMs = Math.max(0, delays.max / 1e6 - RESOLUTION);
  const [threadMs, processMs] = [process.threadCpuUsage(), process.cpuUsage()].map(inMs);
  process.send?.({ heldMs, heldCpuMs, threadMs, processMs });
  delays.reset();
  heldCpuMs = 0;
});
function inMs({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1e3;
}

endWithParent();
process.once('SIGTERM', async () => {
  await lifecycle.stop();
  process.exit();
});
process.send?.({ url: apiUrl, handheldUrl, mqttUrl, consoleUrl });
