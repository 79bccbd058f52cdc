import { once } from 'node:events';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { quantile, spreadOf } from '../support/statistics.ts';
import { SECRETS_KEY } from '../support/webhooks.ts';
import { openDatabaseServer } from './database-server.ts';
import { answerOf, forkFile, startServer } from './processes.ts';
import { type Line, type Listening, linesOf } from './worst/lines.ts';
import { ServerLoad } from './worst/server-load.ts';
import { Site } from './worst/site.ts';
import { type Times, Windows } from './worst/windows.ts';

/** Measures what the worst requests do to somebody else's; `README.md` beside this file says how to read it. */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    unlimited: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '1' },
    assets: { type: 'string', default: '200000' },
  },
});
const filter = new RegExp(positionals[0] ?? '');
const rounds = Number(values.rounds);

/** As high as settings go: far more than four connections send in a window. */
const UNLIMITED = {
  RATE_LIMIT_PER_MINUTE: '60000',
  RATE_LIMIT_BURST: '120000',
  HANDHELD_RATE_LIMIT_PER_MINUTE: '60000',
  HANDHELD_RATE_LIMIT_BURST: '120000',
  READER_MESSAGES_PER_SECOND: '1000000',
  READER_READS_PER_SECOND: '10000000',
  READER_BYTES_PER_SECOND: '1073741824',
};

const since = performance.now();
const elapsed = () => `${((performance.now() - since) / 60_000).toFixed(1)} min`;

async function measure(windows: Windows, { what, worst }: Line): Promise<void> {
  for (const { name, attack } of await worst()) {
    const attacks = [];
    while (attacks.length < rounds) {
      attacks.push(await attack());
    }
    const { quiet, hostile, heldMs, answered } = await windows.suffer(attacks);
    const quietest = median(quiet.map(({ p99 }) => p99));
    const ratios = spreadOf(hostile.map(({ p99 }) => p99 / quietest));
    const ratio = (median(hostile.map(({ p99 }) => p99)) / quietest).toFixed(1);
    const figures = [
      heldMs.toFixed(0),
      inMs(quiet, 'p99'),
      inMs(hostile, 'p99'),
      rounds === 1 ? ratio : `${ratio} (${ratios.min.toFixed(1)} to ${ratios.max.toFixed(1)})`,
      inMs(quiet, 'p50'),
      inMs(hostile, 'p50'),
    ].join(' | ');
    console.log(`| \`${what}\` | ${name} | ${figures} | ${countsOf(answered)} |`);
  }
}

function inMs(windows: readonly Times[], of: keyof Times): string {
  return windows.map((times) => times[of].toFixed(1)).join(', ');
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return (quantile(sorted, 0.5) + quantile(sorted, (sorted.length - 1) / 2 / sorted.length)) / 2;
}

function countsOf(answered: Readonly<Record<string, number>>): string {
  return Object.entries(answered)
    .map(([status, count]) => `${count} x ${status}`)
    .join(', ');
}

const closing: (() => unknown)[] = [];

let closed: Promise<void> | undefined;

/** Once: what fails because it is stopped waits for the rest to be closed as well. */
function closeAll(): Promise<void> {
  closed ??= (async () => {
    for (const close of closing.toReversed()) {
      await close();
    }
  })();
  return closed;
}

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => closeAll().then(() => process.exit(1)));
}
try {
  const database = await openDatabaseServer();
  closing.push(() => database.close());
  const site = await Site.make(database.url, Number(values.assets));
  closing.push(() => site.close());
  const receiver = await startServer('servers/receiver.ts');
  closing.push(() => receiver.stop());
  const server = forkFile('servers/everything.ts', {
    ...{ SECRETS_KEY, WEBHOOK_NETWORKS: '127.0.0.0/8' },
    ...(values.unlimited ? UNLIMITED : {}),
    DATABASE_URL: site.databaseUrl,
  });
  const ended = once(server, 'exit');
  closing.push(() => {
    server.kill('SIGTERM');
    return ended;
  });
  const listening = {
    ...((await answerOf(server)) as Omit<Listening, 'receiverUrl'>),
    receiverUrl: receiver.url,
  };
  const load = new ServerLoad(server, site.pool);
  const windows = await Windows.open(site.lookUps(listening.url), load);
  closing.push(() => windows.close());
  const lines = linesOf(listening, site, load).filter(({ what }) => filter.test(what));
  console.log(
    `Node.js ${process.version}, ${cpus().length} cores, ${cpus()[0]?.model ?? ''}; ` +
      `${values.unlimited ? 'without limits' : 'limits as delivered'}\n`,
  );
  console.log(
    '| | the worst of it | loop held, ms | p99 of look-ups, quiet | hostile | ratio | p50, quiet | hostile | answered |',
  );
  console.log('|---|---|---|---|---|---|---|---|---|');
  for (const [at, line] of lines.entries()) {
    console.error(`${elapsed()}, ${at + 1} of ${lines.length}: ${line.what}`);
    await measure(windows, line);
  }
  console.log(`\n${elapsed()}`);
} finally {
  await closeAll();
}
