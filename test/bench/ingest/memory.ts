import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import mqtt from 'mqtt';
import { freePort } from '../../support/free-port.ts';
import { subscribed } from './installation.ts';
import type { MemorySample } from './memory-sampler.ts';
import { startMosquitto } from './mosquitto.ts';
import type { IngestOptions } from './options.ts';
import { createSite, READERS, readerName } from './site.ts';
import { Stamp } from './stamp.ts';
import { traffic } from './traffic.ts';

const READS_A_MESSAGE = 5;

/** Seconds between samples, and minutes of the end in which a collection is forced with each. */
const EVERY = 30;
const FORCED_MINUTES = 10;

/** The share of messages with a tag that nobody registered, another one each time, as of passing phones. */
const STRANGERS = 0.05;

const LATE = 0.01;

/**
 * The memory of ingestion over hours, at an even rate through mosquitto: reads, moves, late reads, unknown tags and
 * messages that cannot be decoded, with its metrics scraped as Prometheus does. Writes a line for each sample to
 * `options.samples`, comma-separated.
 */
export async function benchMemory(serverUrl: string, options: IngestOptions): Promise<void> {
  const { minutes, rate, samples } = options;
  const site = await createSite(serverUrl, 0);
  const broker = await startMosquitto();
  const port = await freePort();
  const child = fork(fileURLToPath(new URL('../../../services/mqtt-ingest/main.ts', import.meta.url)), {
    execArgv: ['--import', fileURLToPath(new URL('memory-sampler.ts', import.meta.url))],
    env: {
      ...process.env,
      MEMORY_SAMPLE_MS: String(EVERY * 1_000),
      DATABASE_URL: site.url,
      MQTT_URL: `mqtt://127.0.0.1:${broker.port}`,
      MQTT_CLIENT_ID: 'bench',
      INGEST_PORT: String(port),
    },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const url = `http://127.0.0.1:${port}`;
  while (
    !(await fetch(`${url}/readyz`).then(
      (answer) => answer.ok,
      () => false,
    ))
  ) {
    await pause(100);
  }
  await subscribed({ url, pid: child.pid ?? 0, stop: async () => {} });
  const begun = Date.now();
  writeFileSync(samples, 'second,kind,rss,heap_total,heap_used,external,array_buffers,processor\n');
  child.on('message', (sample: MemorySample) => {
    const second = Math.round((Date.now() - begun) / 1_000);
    const { kind, rss, heapTotal, heapUsed, external, arrayBuffers, processor } = sample;
    appendFileSync(
      samples,
      `${[second, kind, rss, heapTotal, heapUsed, external, arrayBuffers, processor].join()}\n`,
    );
  });
  const clients = await Promise.all(
    Array.from({ length: READERS }, (_, reader) =>
      mqtt.connectAsync(`mqtt://127.0.0.1:${broker.port}`, { clientId: `bench-${readerName(reader)}` }),
    ),
  );
  const scraping = setInterval(() => void fetch(`${url}/metrics`).then((answer) => answer.text()), 15_000);
  const forcing = setInterval(() => {
    if (Date.now() > begun + (minutes - FORCED_MINUTES) * 60_000) {
      child.send('collect');
    }
  }, EVERY * 1_000);
  const stamp = new Stamp();
  const planned = traffic({
    readers: Array.from({ length: READERS }, (_, reader) => reader),
    messages: Number.POSITIVE_INFINITY,
    readsPerMessage: READS_A_MESSAGE,
    assets: site.assets,
    late: 0,
    poison: 0.001,
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
      if (Math.random() >= LATE) {
        stamp.mark(value.payload);
      }
      const payload = Math.random() < STRANGERS ? withStranger(value.payload) : value.payload;
      await clients[value.reader]?.publishAsync(value.topic, payload, { qos: 1 });
    }
    await pause(5);
  }
  clearInterval(scraping);
  clearInterval(forcing);
  await Promise.all(clients.map((client) => client.endAsync(true)));
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
  await broker.stop();
  await site.drop();
}

/** With the tag of its first read replaced. */
function withStranger(payload: Buffer): string {
  return payload
    .toString()
    .replace(/"E280[0-9]{20}"/, `"F280${randomBytes(10).toString('hex').toUpperCase()}"`);
}
