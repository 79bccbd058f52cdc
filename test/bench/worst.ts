import { once } from 'node:events';
import { cpus } from 'node:os';
import { quantile, spreadOf } from '../support/statistics.ts';
import { typedOptions } from '../support/typed-options.ts';
import { SECRETS_KEY } from '../support/webhooks.ts';
import { openDatabaseServer } from './database-server.ts';
import { answerOf, forkFile, startServer } from './processes.ts';
import { type Line, type Listening, linesOf } from './worst/lines.ts';
import { ServerLoad } from './worst/server-load.ts';
import { Site } from './worst/site.ts';
import { HOSTILE_MS, type P99, Windows } from './worst/windows.ts';

/** Measures what the worst requests do to somebody else's; `README.md` beside this file says how to read it. */
const { values, positionals } = typedOptions('bench:worst', {
  allowPositionals: true,
  options: {
    unlimited: { type: 'boolean', default: false },
    stoppers: { type: 'boolean', default: false },
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
  for (const { name, attack, forMs = HOSTILE_MS, note } of await worst()) {
    const attacks = [];
    while (attacks.length < rounds) {
      attacks.push(await attack());
    }
    const suffered = await windows.suffer(attacks, forMs);
    const { quiet, hostile, heldMs, heldCpuMs, answered } = suffered;
    const figures = [
      `${heldMs.toFixed(0)} (${heldCpuMs.toFixed(0)})`,
      ...compared(quiet, hostile, 'lookUps'),
      ...compared(quiet, hostile, 'acknowledgements'),
      [countsOf(answered), await note?.(suffered)].filter(Boolean).join('; '),
    ].join(' | ');
    console.log(`| \`${what}\` | ${name} | ${figures} |`);
  }
}

/** Quiet, hostile, and their ratio. */
function compared(quiet: readonly P99[], hostile: readonly P99[], of: keyof P99): string[] {
  const inMs = (windows: readonly P99[]) => windows.map((p99) => p99[of].toFixed(1)).join(', ');
  const quietest = median(quiet.map((p99) => p99[of]));
  const ratios = spreadOf(hostile.map((p99) => p99[of] / quietest));
  const ratio = (median(hostile.map((p99) => p99[of])) / quietest).toFixed(1);
  const range = rounds === 1 ? '' : ` (${ratios.min.toFixed(1)} to ${ratios.max.toFixed(1)})`;
  return [inMs(quiet), inMs(hostile), ratio + range];
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
  const windows = await Windows.open(await site.other(listening.url, listening.mqttUrl), load);
  closing.push(() => windows.close());
  const lines = linesOf(listening, site, load).filter(
    ({ what, hasStopped = false }) => filter.test(what) && (hasStopped || !values.stoppers),
  );
  console.log(
    `Node.js ${process.version}, ${cpus().length} cores, ${cpus()[0]?.model ?? ''}; ` +
      `${values.unlimited ? 'without limits' : 'limits as delivered'}\n`,
  );
  console.log(
    '| | the worst of it | loop held, ms (processor) | look-ups, quiet | hostile | ratio | acknowledgements, quiet | hostile | ratio | answered |',
  );
  console.log('|---|---|---|---|---|---|---|---|---|---|');
  for (const [at, line] of lines.entries()) {
    console.error(`${elapsed()}, ${at + 1} of ${lines.length}: ${line.what}`);
    await measure(windows, line);
  }
  console.log(`\n${elapsed()}`);
} finally {
  await closeAll();
}
