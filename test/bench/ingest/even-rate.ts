import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import mqtt from 'mqtt';
import { freePort } from '../../support/free-port.ts';
import { subscribed } from './installation.ts';
import { type Mosquitto, startMosquitto } from './mosquitto.ts';
import { type BenchSite, READERS, readerName } from './site.ts';
import { Stamp } from './stamp.ts';
import { traffic } from './traffic.ts';

/** Ingestion as its service starts it, behind mosquitto, with its metrics scraped as Prometheus does. */
export interface RunningIngestion {
  child: ChildProcess;
  broker: Mosquitto;
  stop(): Promise<void>;
}

export async function startIngestion(
  site: BenchSite,
  { preload = [], environment = {} }: { preload?: string[]; environment?: NodeJS.ProcessEnv } = {},
): Promise<RunningIngestion> {
  const broker = await startMosquitto();
  const port = await freePort();
  const child = fork(fileURLToPath(new URL('../../../services/mqtt-ingest/main.ts', import.meta.url)), {
    execArgv: preload.flatMap((file) => ['--import', file]),
    env: {
      ...process.env,
      ...environment,
      DATABASE_URL: site.url,
      MQTT_URL: `mqtt://127.0.0.1:${broker.port}`,
      MQTT_CLIENT_ID: 'bench',
      INGEST_PORT: String(port),
    },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const url = `http://127.0.0.1:${port}`;
  const isReady = () =>
    fetch(`${url}/readyz`).then(
      (answer) => answer.ok,
      () => false,
    );
  while (!(await isReady())) {
    await pause(100);
  }
  await subscribed({ url, pid: child.pid ?? 0, stop: async () => {} });
  const scraping = setInterval(() => void fetch(`${url}/metrics`).then((answer) => answer.text()), 15_000);
  return {
    child,
    broker,
    stop: async () => {
      clearInterval(scraping);
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
      await broker.stop();
    },
  };
}

/** What readers send, besides reads of assets that stay or move. */
export interface EvenRate {
  minutes: number;
  /** Messages a second of all readers together. */
  rate: number;
  readsPerMessage: number;
  /** Shares of messages: with a tag that nobody registered, another one each time; late; that cannot be decoded. */
  strangers: number;
  late: number;
  poison: number;
}

/** @returns how many messages were sent. */
export async function publishEvenly(
  site: BenchSite,
  port: number,
  { minutes, rate, readsPerMessage, strangers, late, poison }: EvenRate,
): Promise<number> {
  const clients = await Promise.all(
    Array.from({ length: READERS }, (_, reader) =>
      mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, { clientId: `bench-${readerName(reader)}` }),
    ),
  );
  const begun = Date.now();
  const stamp = new Stamp();
  const planned = traffic({
    readers: Array.from({ length: READERS }, (_, reader) => reader),
    messages: Number.POSITIVE_INFINITY,
    readsPerMessage,
    assets: site.assets,
    late: 0,
    poison,
    start: begun,
    seed: begun,
  });
  let sent = 0;
  while (Date.now() < begun + minutes * 60_000) {
    const due = ((Date.now() - begun) / 1_000) * rate;
    for (; sent < due; sent++) {
      const { value } = planned.next();
      if (value === undefined) {
        break;
      }
      // The plan runs slower than the clock, so a message that keeps its times is late.
      if (Math.random() >= late) {
        stamp.mark(value.payload);
      }
      const payload = Math.random() < strangers ? withStranger(value.payload) : value.payload;
      await clients[value.reader]?.publishAsync(value.topic, payload, { qos: 1 });
    }
    await pause(5);
  }
  await Promise.all(clients.map((client) => client.endAsync(true)));
  return sent;
}

/** With the tag of its first read replaced. */
function withStranger(payload: Buffer): string {
  return payload
    .toString()
    .replace(/"E280[0-9]{20}"/, `"F280${randomBytes(10).toString('hex').toUpperCase()}"`);
}
