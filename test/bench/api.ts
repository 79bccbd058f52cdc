import { cpus } from 'node:os';
import { benchBatches } from './batches.ts';
import { benchCreates } from './creates.ts';
import { openDatabaseServer } from './database-server.ts';
import { benchGzip } from './gzip.ts';
import { benchLatencies } from './latencies.ts';
import { benchLookUps } from './look-ups.ts';
import { type Part, readOptions } from './options.ts';
import { benchPooler } from './pooler.ts';
import { CHAIN, DEEP, HISTORY, INTO_CHAIN, LIST, OF_CHAIN, REPORT, SEARCHES, WORDS } from './questions.ts';
import { benchReplica } from './replica.ts';
import { benchRowSecurity } from './row-security.ts';
import { benchSignIns } from './sign-ins.ts';
import { benchTls } from './tls.ts';
import { benchWaiting } from './waiting.ts';
import { benchWebhooks } from './webhooks.ts';

/** Measures the API; `README.md` beside this file says how to read it. */
const options = readOptions();
const server = await openDatabaseServer();
console.log(`Node.js ${process.version}, ${cpus().length} cores, ${cpus()[0]?.model ?? ''}`);
console.log(`Medians of ${options.repetitions} rounds (lowest to highest), ${options.seconds} s each`);

const parts: Record<Part, () => Promise<void>> = {
  'look-up': () => benchLookUps(server.url, options),
  'row-security': () => benchRowSecurity(server.url, options),
  list: () => {
    const sizes = options.assets.map((assets) => ({
      assets,
      scans: 0,
      label: `${assets.toExponential()} assets`,
    }));
    return benchLatencies(server.url, sizes, [LIST, DEEP], options);
  },
  create: () => benchCreates(server.url, options),
  tracking: () => {
    const sizes = options.scans.map((scans) => ({
      assets: 20_000,
      scans,
      label: `${scans.toExponential()} scans`,
    }));
    return benchLatencies(server.url, sizes, [...HISTORY, ...REPORT], options);
  },
  waiting: () => benchWaiting(server.url, options),
  webhooks: () => benchWebhooks(server.url, options),
  search: () => {
    const sizes = options.assets.map((assets) => ({
      assets,
      scans: 0,
      changed: WORDS,
      label: `${assets.toExponential()} assets`,
    }));
    return benchLatencies(server.url, sizes, SEARCHES, options);
  },
  chain: () => {
    const size = { assets: 1, scans: 0, locations: CHAIN, changed: INTO_CHAIN };
    return benchLatencies(server.url, [{ ...size, label: `${CHAIN}` }], OF_CHAIN, options);
  },
  'sign-ins': () => benchSignIns(server.url, options),
  tls: () => benchTls(server.url, options),
  batches: () => benchBatches(server.url, options),
  gzip: () => benchGzip(server.url, options),
  pooler: () => benchPooler(server.url, options),
  replica: () => benchReplica(options),
};
try {
  for (const part of options.only) {
    await parts[part]();
  }
} finally {
  await server.close();
}
