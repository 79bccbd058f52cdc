import { setTimeout as lasts } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { TestDatabase } from '../support/database.ts';
import { keyOf } from '../support/key-of.ts';
import { Random } from '../support/random.ts';
import { Site } from '../support/site.ts';
import { until } from '../support/subscribed-ingest.ts';
import { buildTypedClient } from '../support/typed-client.ts';
import { ApiProgram } from './api-program.ts';
import { createCrashingDatabase } from './crashing-database.ts';
import { KeptCopy } from './kept-copy.ts';
import type { LongForm } from './long-form.ts';
import { wholeNumber } from './options.ts';
import { randomFrom } from './random-from.ts';
import { RandomWrites } from './random-writes.ts';
import { showProgress } from './show-progress.ts';
import { unlessAborted } from './unless-aborted.ts';
import { runnerOf, WorkerProgram } from './worker-program.ts';

export const COPY: LongForm = {
  summary: 'a copy kept by the feeds of moves and of changes, while API, sealer and the consumer are killed',
  options: '[--seconds 3600] [--kills 20] [--rate 10] [--seed 1]',
  run: async (args, isTimescale, signal) => {
    const { values } = parseArgs({
      args,
      options: {
        seconds: { type: 'string', default: '3600' },
        kills: { type: 'string', default: '20' },
        rate: { type: 'string', default: '10' },
        seed: { type: 'string', default: '1' },
      },
    });
    const number = (name: keyof typeof values) => wholeNumber(name, values[name]);
    const [seconds, kills] = [number('seconds'), number('kills')];
    await buildTypedClient();
    const database = await createCrashingDatabase(isTimescale);
    try {
      const options = { seconds, kills, rate: number('rate'), seed: number('seed') };
      const run = await unlessAborted(signal, () => runCopy(database, options));
      console.log(showCopyRun(run, seconds));
      return run.differences.length === 0 && run.wrong.length === 0;
    } finally {
      await database.remove();
    }
  },
};

export interface CopyRun {
  /** What the copy has otherwise than the API. */
  differences: string[];
  /** Answers to writes that no kill explains. */
  wrong: string[];
  answers: ReadonlyMap<string, number>;
  kills: { api: number; sealer: number; consumer: number };
  /** The heads of both feeds, and rows of the copy. */
  moves: number;
  changes: number;
  rows: number;
}

/**
 * Writes as many as fit into the time, however long that takes while nothing answers; kills at moments between them.
 *
 * @param options.rate writes a second. @param options.kills of each of the three.
 */
export async function runCopy(
  database: TestDatabase,
  { seconds, kills, rate, seed }: { seconds: number; kills: number; rate: number; seed: number },
): Promise<CopyRun> {
  const { orgId } = await Site.create(database);
  const key = await keyOf(database.url, orgId);
  const environment = { DATABASE_URL: database.url };
  const api = await ApiProgram.prepare(environment);
  const workers = [new WorkerProgram(environment), new WorkerProgram(environment)];
  database.beforeDrop(() => Promise.all([api, ...workers].map((program) => program.kill())));
  await Promise.all([api, ...workers].map((program) => program.startUntilReady()));
  const writes = await RandomWrites.prepare(database, new Random(seed, 0), { orgId, url: api.url, key });
  const copy = new KeptCopy(api.url, key);
  database.beforeDrop(() => copy.end());
  const random = randomFrom(seed);
  const total = seconds * rate;
  const writing = async () => {
    while (writes.answered < total) {
      await Promise.all([writes.write(), lasts((random() * 2_000 * LANES) / rate)]);
    }
  };
  const counts = { api: 0, sealer: 0, consumer: 0 };
  const killing = async (name: keyof typeof counts, kill: () => Promise<void>) => {
    for (let number = 0; number < kills; number++) {
      const due = ((number + random()) / kills) * total;
      await until(() => writes.answered >= due);
      await kill();
      counts[name] += 1;
      showProgress(`killed ${JSON.stringify(counts)}`);
    }
  };
  const restart = async (program: ApiProgram | WorkerProgram) => {
    await program.kill();
    await program.startUntilReady();
  };
  await Promise.all([
    ...Array.from({ length: LANES }, writing),
    killing('api', () => restart(api)),
    killing('sealer', async () => restart(await runnerOf(workers, 'seal-moves'))),
    killing('consumer', () => copy.kill()),
  ]);
  await until(async () => (await unsealed(database)) === 0);
  const differences = await copy.differences();
  const { moves = 0, changes = 0, assets = {}, locations = {} } = copy.read() ?? {};
  return {
    ...{ differences, wrong: writes.wrong, answers: writes.answers, kills: counts, moves, changes },
    rows: Object.keys(assets).length + Object.keys(locations).length,
  };
}

/** Writes under way at once. */
const LANES = 4;

async function unsealed(database: TestDatabase): Promise<number> {
  const [row] = await database.rows<{ count: number }>(
    'select ((select count(*) from unsealed_moves) + (select count(*) from unsealed_changes))::int4 as count',
  );
  return row?.count ?? 0;
}

function showCopyRun({ differences, wrong, answers, kills, moves, changes, rows }: CopyRun, seconds: number) {
  const sum = [...answers.values()].reduce((total, count) => total + count, 0);
  return [
    '',
    `A copy by both feeds, ${seconds} s`,
    `  killed       API ${kills.api}, sealer ${kills.sealer}, consumer ${kills.consumer}`,
    `  written      ${sum}: ${[...answers]
      .sort()
      .map(([answer, count]) => `${answer}: ${count}`)
      .join(', ')}`,
    `  events       ${moves} moves, ${changes} changes`,
    `  rows         ${rows}`,
    `  differences  ${differences.length}${wrong.length === 0 ? '' : `; wrong answers: ${wrong.join(', ')}`}`,
    ...differences.map((difference) => `    ${difference}`),
  ].join('\n');
}
