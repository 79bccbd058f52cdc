import { setTimeout as pause } from 'node:timers/promises';
import { quantile } from '../../support/statistics.ts';
import { type ServerProcess, startServer } from '../processes.ts';
import { issueKey } from './issue-key.ts';
import type { IngestOptions } from './options.ts';
import { halfOfTheMost, startSteadyLoad } from './steady-load.ts';
import { onSites } from './throughput.ts';

const SECONDS = 20;

interface Page {
  moves: { time: string }[];
  next: number;
  head: number;
}

/**
 * From when a move is recorded, just before its commit, until a request that waits at the head of the feed has the answer
 * with it, while readers publish at half of what ingestion can do. The request is sent anew at random moments.
 */
export async function benchFeed(serverUrl: string, options: IngestOptions): Promise<void> {
  const [source = 'embedded'] = options.sources;
  const { times, rate, moves } = await onSites(
    serverUrl,
    options,
    options.history.slice(0, 1),
    async ([installed, copy]) => {
      const rate = await halfOfTheMost(installed, copy, source, options.count);
      const api = await startServer('servers/full.ts', {
        DATABASE_URL: installed.site.url,
        RATE_LIMIT_PER_MINUTE: '60000',
        RATE_LIMIT_BURST: '120000',
      });
      const key = await issueKey(installed.site.url);
      const load = await startSteadyLoad(installed, source, rate, 2 * SECONDS);
      const first = await headOf(api, key);
      const times: number[] = [];
      const end = performance.now() + SECONDS * 1_000;
      while (performance.now() < end) {
        const head = await headOf(api, key);
        const page = await ask(api, key, `after=${head}&limit=200&wait=30`);
        const recorded = Math.min(...page.moves.map(({ time }) => Date.parse(time)));
        times.push(Date.now() - recorded);
        await pause(Math.random() * 40);
      }
      const moves = ((await headOf(api, key)) - first) / SECONDS;
      load.stop();
      await api.stop();
      return { times: times.toSorted((a, b) => a - b), rate, moves };
    },
  );
  console.log(
    `\nRecorded to answered by a waiting request (${source}), at ${(50 * rate).toFixed(0)} reads/s and ${moves.toFixed(0)} moves/s, ${times.length} requests, ms`,
  );
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((fraction) => quantile(times, fraction).toFixed(0));
  console.log(
    `  p50 ${p50}   p95 ${p95}   p99 ${p99}   longest ${times.at(-1)?.toFixed(0)}   wanted p99 250`,
  );
}

async function headOf(api: ServerProcess, key: string): Promise<number> {
  return (await ask(api, key, 'limit=1')).head;
}

async function ask({ url }: ServerProcess, key: string, query: string): Promise<Page> {
  const response = await fetch(`${url}/api/v1/moves?${query}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const { data } = (await response.json()) as { data?: Page };
  if (data === undefined) {
    throw new Error(`the API answers ${response.status}`);
  }
  return data;
}
