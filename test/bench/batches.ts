import { processorTime } from '../support/processor-time.ts';
import { quantile, show, spreadOf } from '../support/statistics.ts';
import { SECRETS_KEY } from '../support/webhooks.ts';
import { interleaved } from './interleaved.ts';
import type { BenchOptions } from './options.ts';
import { type ServerProcess, startServer } from './processes.ts';
import { apiEnvironment } from './requests.ts';
import { type Filled, fill } from './rows/seed.ts';

const BATCH = 1_000;
const CALLERS = 16;
const CHANGES = 200;

interface Made {
  perSecond: number;
  /** Microseconds of the API's time. */
  each: number;
}

/** Assets with a tag created one by one by {@link CALLERS}, and in batches by one; and how soon the feed tells of a change. */
export async function benchBatches(serverUrl: string, options: BenchOptions): Promise<void> {
  const filled = await fill(serverUrl, { assets: 20_000, scans: 0 });
  // The sealer, which gives changes their positions, is in the same process.
  const server = await startServer('servers/full.ts', { ...apiEnvironment(filled), SECRETS_KEY });
  let made = 0;
  const asset = () => {
    const external_key = `MADE-${++made}`;
    return { external_key, name: 'Pallet', tags: [{ tag_type: 'rfid', value: external_key }] };
  };
  const during = async (callers: number, create: (key: string) => Promise<number>): Promise<Made> => {
    const [start, spent] = [performance.now(), processorTime([server.pid])];
    let rows = 0;
    const call = async (_: unknown, caller: number) => {
      while (performance.now() - start < options.seconds * 1_000) {
        const created = await create(filled.keys[caller] ?? '');
        rows += created;
      }
    };
    await Promise.all(Array.from({ length: callers }, call));
    const seconds = (performance.now() - start) / 1_000;
    return { perSecond: rows / seconds, each: ((processorTime([server.pid]) - spent) / rows) * 1e6 };
  };
  const { single, batch } = await interleaved(options.repetitions, {
    single: () =>
      during(CALLERS, async (key) => {
        await send(server, '/assets', key, asset());
        return 1;
      }),
    batch: () =>
      during(1, async (key) => {
        await send(server, '/assets/batch', key, { items: Array.from({ length: BATCH }, asset) });
        return BATCH;
      }),
  });
  console.log('\nAssets with a tag created: a second; us of the API for each');
  for (const [name, rounds] of Object.entries({ single, batch })) {
    const [perSecond, each] = (['perSecond', 'each'] as const).map((of) =>
      show(spreadOf(rounds.map((round) => round[of])), 0),
    );
    console.log(`  ${name.padEnd(7)} ${perSecond}   ${each}`);
  }
  const ratio = batch.map(({ perSecond }, round) => perSecond / (single[round]?.perSecond ?? Number.NaN));
  console.log(`  batch / single ${show(spreadOf(ratio), 1)}`);
  const delays = await delaysOf(server, filled);
  console.log(
    `  ms from an answered create to its change in the feed: p50 ${quantile(delays, 0.5).toFixed(0)}, p99 ${quantile(delays, 0.99).toFixed(0)}`,
  );
  await server.stop();
  await filled.drop();
}

/** Sorted; of one change at a time, for which a request waits. */
async function delaysOf(server: ServerProcess, { keys: [key = ''] }: Filled): Promise<number[]> {
  const read = async (query: string) =>
    ((await send(server, `/changes?${query}`, key)) as { data: { next: number; head: number } }).data;
  let after = -1;
  for (let { head } = await read('limit=1'); head !== after; { head } = await read(`after=${after}&wait=1`)) {
    after = head;
  }
  const delays: number[] = [];
  while (delays.length < CHANGES) {
    const told = read(`after=${after}&wait=30`);
    await send(server, '/assets', key, { name: 'Pallet' });
    const answered = performance.now();
    after = (await told).next;
    delays.push(performance.now() - answered);
  }
  return delays.sort((a, b) => a - b);
}

async function send({ url }: ServerProcess, path: string, key: string, body?: object): Promise<unknown> {
  const response = await fetch(`${url}/api/v1${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) {
    throw new Error(`${path}: ${response.status} ${await response.text()}`);
  }
  return response.json();
}
