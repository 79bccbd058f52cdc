import { Agent, request } from 'node:http';
import { setPriority } from 'node:os';
import { setInterval } from 'node:timers/promises';
import { connectAsync, type MqttClient } from 'mqtt';
import type { Login } from './attack.ts';

/** Somebody who looks up with keys in turn, and whose reader publishes. */
export interface Other {
  url: string;
  keys: readonly string[];
  reader: Login;
  /** Of tags, each of which is read in turn at antenna 1, then at antenna 2. */
  values: readonly string[];
}

/** What each took of them, in ms. */
export interface Took {
  lookUps: number[];
  acknowledgements: number[];
}

/**
 * Somebody who looks something up every few milliseconds on one connection, and whose reader publishes ten times less often
 * on another, in a process of its own: gets an {@link Other}, then again and again for how many milliseconds, and answers
 * with what each {@link Took}. One that was due while another was under way counts from when it was due, so a second in which
 * nothing is answered is a second of the percentiles, and not one look-up.
 */
const LOOK_UP_EVERY_MS = 4;
const PUBLISH_EVERY_MS = 40;

// Callers have machines of their own: this one does not wait for a processor, where that may be asked for.
try {
  setPriority(-10);
} catch {}

process.once('message', async (other: Other) => {
  const { url, topic, ...login } = other.reader;
  const client = await connectAsync(url, { ...login, clientId: 'other', keepalive: 600 });
  const lookUp = lookUps(other);
  const publish = publishes(client, topic, other.values);
  process.on('message', async (forMs: number) => {
    const lookedUp: Promise<number>[] = [];
    const published: Promise<number>[] = [];
    const began = performance.now();
    for await (const _ of setInterval(LOOK_UP_EVERY_MS / 2)) {
      const passed = Math.min(performance.now() - began, forMs);
      while (lookedUp.length < Math.floor(passed / LOOK_UP_EVERY_MS)) {
        lookedUp.push(lookUp());
      }
      while (published.length < Math.floor(passed / PUBLISH_EVERY_MS)) {
        published.push(publish());
      }
      if (passed === forMs) {
        break;
      }
    }
    const took: Took = {
      lookUps: await Promise.all(lookedUp),
      acknowledgements: await Promise.all(published),
    };
    process.send?.(took);
  });
  process.send?.('ready');
});
process.once('disconnect', () => process.exit());

function lookUps({ url, keys }: Other): () => Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let next = 0;
  return () =>
    new Promise((resolve, reject) => {
      const since = performance.now();
      const headers = { authorization: `Bearer ${keys[next++ % keys.length]}` };
      // The agent sends one after the other.
      const asked = request(url, { agent, headers }, (response) => {
        const took = () =>
          response.statusCode === 200
            ? resolve(performance.now() - since)
            : reject(new Error(`A look-up was answered with ${response.statusCode}`));
        response.resume().on('end', took);
      });
      asked.on('error', reject).end();
    });
}

function publishes(client: MqttClient, topic: string, values: readonly string[]): () => Promise<number> {
  let next = 0;
  return async () => {
    const since = performance.now();
    // Every read moves an asset, one to each antenna in turn.
    const antenna = 1 + ((next + Math.floor(next / values.length)) % 2);
    const payload = JSON.stringify([{ value: values[next++ % values.length], antenna }]);
    await client.publishAsync(topic, payload, { qos: 1 });
    return performance.now() - since;
  };
}
