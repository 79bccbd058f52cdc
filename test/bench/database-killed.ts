import { type KillableProgram, startKillable } from '../support/killable-program.ts';
import { show, spreadOf } from '../support/statistics.ts';
import { interleaved } from './interleaved.ts';

/**
 * How long `npm start` takes to work again once its database is killed or stopped, or to end where that cannot be: `node
 * test/bench/database-killed.ts 5`, so many times each, in turns, after one that does not count.
 */
const rounds = Number(process.argv[2] ?? 5);

interface Outcome {
  seconds: number;
  hasEnded: boolean;
}

async function outcomeOf(work: (program: KillableProgram) => Promise<Outcome>): Promise<Outcome> {
  const program = await startKillable();
  try {
    return await work(program);
  } finally {
    await program.remove();
  }
}

const after = (signal: NodeJS.Signals) => () =>
  outcomeOf(async (program) => {
    const { ms, ended } = await program.endDatabase(signal);
    return { seconds: ms / 1_000, hasEnded: ended !== null };
  });
const results = await interleaved(rounds, {
  killed: after('SIGKILL'),
  stopped: after('SIGINT'),
  'killed for good': () =>
    outcomeOf(async (program) => ({ seconds: (await program.killForGood()) / 1_000, hasEnded: true })),
});
for (const [what, outcomes] of Object.entries(results)) {
  for (const [hasEnded, told] of [
    [false, 'until it worked again'],
    [true, 'until the process had ended'],
  ] as const) {
    const seconds = outcomes.filter((each) => each.hasEnded === hasEnded).map((each) => each.seconds);
    if (seconds.length > 0) {
      console.log(`${what}, s ${told}: ${show(spreadOf(seconds), 1)}, ${seconds.length} times`);
    }
  }
}
