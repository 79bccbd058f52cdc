import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { processorTime } from '../support/processor-time.ts';
import { show, spreadOf } from '../support/statistics.ts';
import type { BenchOptions } from './options.ts';
import { type ServerProcess, startServer } from './processes.ts';
import { apiEnvironment } from './requests.ts';
import { type Filled, fill } from './rows/seed.ts';

/** Metadata with digits that do not repeat makes a page of these 1.2 MB. */
const LARGE = `update assets set metadata = (
    select json_object_agg('field ' || n, md5((n * assets.id)::text) || ' Blue Line, row ' || n) from generate_series(1, 80) n)
  where id > 10000 and id <= 10200`;

const ANSWERS = {
  'an asset by its id': { path: '/assets/17', turn: 1_000 },
  '200 assets': { path: '/assets?limit=200', turn: 100 },
  '200 large ones': { path: '/assets?limit=200&after=10000', turn: 25 },
};

/** Processor time of the API for answers to callers who take gzip, and to those who do not, in turns. */
export async function benchGzip(serverUrl: string, options: BenchOptions): Promise<void> {
  const filled = await fill(serverUrl, { assets: 20_000, scans: 0, changed: LARGE });
  const server = await startServer('servers/full.ts', apiEnvironment(filled));
  console.log('\nus of the API for an answer: as it is, compressed; kB; the first by the second');
  for (const [name, { path, turn }] of Object.entries(ANSWERS)) {
    const times: Record<string, number[]> = { identity: [], gzip: [] };
    const bytes: Record<string, number> = {};
    for (let round = -1; round < options.repetitions; round++) {
      for (const encoding of round % 2 === 0 ? ['identity', 'gzip'] : ['gzip', 'identity']) {
        const spent = processorTime([server.pid]);
        for (let asked = 0; asked < turn; asked++) {
          bytes[encoding] = await ask(server, path, filled, { round, encoding });
        }
        if (round >= 0) {
          times[encoding]?.push(((processorTime([server.pid]) - spent) / turn) * 1e6);
        }
      }
    }
    const { identity = [], gzip = [] } = times;
    const ratio = identity.map((time, round) => time / (gzip[round] ?? Number.NaN));
    const shown = [identity, gzip].map((each) => show(spreadOf(each), 0)).join('   ');
    const kB = ['identity', 'gzip'].map((encoding) => ((bytes[encoding] ?? 0) / 1e3).toFixed(1)).join(', ');
    console.log(`  ${name.padEnd(20)} ${shown}   ${kB}   ${show(spreadOf(ratio), 2)}`);
  }
  await server.stop();
  await filled.drop();
}

const agent = new Agent({ keepAlive: true });

async function ask(
  { url }: ServerProcess,
  path: string,
  { keys }: Filled,
  { round, encoding }: { round: number; encoding: string },
): Promise<number> {
  const key = keys[(round + keys.length) % keys.length];
  const headers = { authorization: `Bearer ${key}`, 'accept-encoding': encoding };
  const [response] = (await once(get(`${url}/api/v1${path}`, { agent, headers }), 'response')) as [
    IncomingMessage,
  ];
  let bytes = 0;
  for await (const chunk of response) {
    bytes += chunk.length;
  }
  return bytes;
}
