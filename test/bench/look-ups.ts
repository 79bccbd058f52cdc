import { type Spread, show, spreadOf } from '../support/statistics.ts';
import { interleaved } from './interleaved.ts';
import type { Load, Measured } from './load.ts';
import type { BenchOptions } from './options.ts';
import { measure, startServer } from './processes.ts';
import { apiEnvironment, turns } from './requests.ts';
import { fill } from './rows/seed.ts';

const ASSETS = 20_000;
const CONNECTIONS = 32;

/** One asset by its id: the whole stack against as little as can be. Requests a second, and ratios within a round. */
export async function benchLookUps(serverUrl: string, options: BenchOptions): Promise<void> {
  const filled = await fill(serverUrl, { assets: ASSETS, scans: 5 * ASSETS });
  const environment = apiEnvironment(filled);
  const hello = await startServer('servers/hello.ts');
  const minimal = await startServer('servers/minimal.ts', environment);
  const full = await startServer('servers/full.ts', environment);
  const requests = turns(filled, (id) => `/api/v1/assets/${id}`);
  const loadOf = ({ url }: { url: string }): Load => ({
    url,
    connections: CONNECTIONS,
    seconds: options.seconds,
    requests,
  });
  const results = await interleaved(options.repetitions, {
    hello: () => measure(loadOf(hello)),
    minimal: () => measure(loadOf(minimal)),
    full: () => measure(loadOf(full)),
  });
  console.log(`\nAn asset by its id, ${CONNECTIONS} connections, requests/s`);
  for (const [name, measured] of Object.entries(results)) {
    console.log(`  ${name.padEnd(8)} ${show(spreadOf(measured.map(({ perSecond }) => perSecond)), 0)}`);
  }
  console.log(`  full / hello    ${show(ratio(results.full, results.hello), 3)}   target 0.18`);
  console.log(`  full / minimal  ${show(ratio(results.full, results.minimal), 3)}   target 0.75`);
  await Promise.all([hello.stop(), minimal.stop(), full.stop()]);
  await filled.drop();
}

function ratio(a: readonly Measured[], b: readonly Measured[]): Spread {
  return spreadOf(a.map(({ perSecond }, round) => perSecond / (b[round]?.perSecond ?? Number.NaN)));
}
