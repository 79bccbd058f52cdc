import { setTimeout as pause } from 'node:timers/promises';
import mqtt from 'mqtt';
import { quantile } from '../../support/statistics.ts';
import { startServer } from '../processes.ts';
import { committed } from './counters.ts';
import { issueKey } from './issue-key.ts';
import type { IngestOptions } from './options.ts';
import { ANTENNAS, ASSETS, READERS, readerName, tagValue } from './site.ts';
import { halfOfTheMost, startSteadyLoad } from './steady-load.ts';
import { onSites } from './throughput.ts';

const SECONDS = 20;

/** Of what is published; with less, what is measured is the backlog. */
const KEPT_UP = 0.95;

/**
 * From a reader's publish until the API answers with it, while all other readers publish at half of what ingestion can
 * do: an asset of the last reader moves, and its history is asked for until it has the move.
 */
export async function benchLatency(serverUrl: string, options: IngestOptions): Promise<void> {
  const [source = 'embedded'] = options.sources;
  const { times, rate, kept } = await onSites(
    serverUrl,
    options,
    options.history.slice(0, 1),
    async ([installed, copy]) => {
      const rate = await halfOfTheMost(installed, copy, source, options.count);
      const { url } = installed.site;
      const api = await startServer('servers/full.ts', {
        DATABASE_URL: url,
        RATE_LIMIT_PER_MINUTE: '60000',
        RATE_LIMIT_BURST: '120000',
      });
      const load = await startSteadyLoad(installed, source, rate, 2 * SECONDS);
      const reader = readerName(READERS - 1);
      const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${installed.sources[source]?.port}`, {
        username: reader,
        password: reader,
        clientId: 'bench-probe',
      });
      const times: number[] = [];
      const isReadable = historyReader(api.url, await issueKey(url));
      const begun = performance.now();
      const before = await committed(installed.client);
      const end = begun + SECONDS * 1_000;
      for (let move = 0; performance.now() < end; move++) {
        const observedAt = new Date().toISOString();
        const read = {
          value: tagValue(PROBE),
          antenna: 1 + (move % ANTENNAS),
          rssi: -50,
          observed_at: observedAt,
        };
        const start = performance.now();
        await client.publishAsync(reader, JSON.stringify(read), { qos: 1 });
        while (!(await isReadable(observedAt))) {}
        times.push(performance.now() - start);
        await pause(Math.random() * 40);
      }
      const messages = (await committed(installed.client)).messages - before.messages - times.length;
      const kept = messages / (rate * ((performance.now() - begun) / 1_000));
      load.stop();
      await client.endAsync(true);
      await api.stop();
      return { times: times.toSorted((a, b) => a - b), rate, kept };
    },
  );
  console.log(
    `\nPublish to readable by the API (${source}), at ${(50 * rate).toFixed(0)} reads/s, ${times.length} moves, ms`,
  );
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((fraction) => quantile(times, fraction).toFixed(0));
  console.log(
    `  p50 ${p50}   p95 ${p95}   p99 ${p99}   longest ${times.at(-1)?.toFixed(0)}   target p99 250`,
  );
  const isBehind =
    kept < KEPT_UP
      ? ': moves waited behind a backlog, as the machine did less than when it was measured'
      : '';
  console.log(`  ingestion did ${kept.toFixed(2)} of what was published meanwhile${isBehind}`);
}

/** An asset that the last reader begins with, so that no other reads it. */
const PROBE = ASSETS - 1;

/** Whether the API's newest transition of the asset is that of `observedAt`. */
function historyReader(apiUrl: string, key: string): (observedAt: string) => Promise<boolean> {
  return async (observedAt) => {
    const response = await fetch(`${apiUrl}/api/v1/assets/${PROBE + 1}/history?limit=1`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const { data } = (await response.json()) as { data?: { event_observed_at: string }[] };
    if (data === undefined) {
      throw new Error(`the API answers ${response.status}`);
    }
    return data[0]?.event_observed_at === observedAt;
  };
}
