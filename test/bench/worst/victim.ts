import { Agent, request } from 'node:http';
import { setPriority } from 'node:os';
import { setInterval } from 'node:timers/promises';

/** What a victim looks up, and with which keys in turn. */
export interface LookUps {
  url: string;
  keys: readonly string[];
}

/**
 * Somebody who looks something up every few milliseconds on one connection, in a process of its own: gets
 * {@link LookUps}, then again and again for how many milliseconds, and answers with what each look-up took. One that
 * was due while another was under way counts from when it was due, so a second in which nothing is answered is a second
 * of the percentiles, and not one look-up.
 */
const EVERY_MS = 4;

// Callers have machines of their own: this one does not wait for a processor, where that may be asked for.
try {
  setPriority(-10);
} catch {}

process.once('message', ({ url, keys }: LookUps) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let next = 0;
  const lookUp = (): Promise<number> =>
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
  process.on('message', async (forMs: number) => {
    const times: Promise<number>[] = [];
    const began = performance.now();
    for await (const _ of setInterval(EVERY_MS / 2)) {
      const due = Math.floor(Math.min(performance.now() - began, forMs) / EVERY_MS);
      while (times.length < due) {
        times.push(lookUp());
      }
      if (performance.now() - began >= forMs) {
        break;
      }
    }
    process.send?.(await Promise.all(times));
  });
  process.send?.('ready');
});
process.once('disconnect', () => process.exit());
