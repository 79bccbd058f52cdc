import { startKillable } from '../support/killable-program.ts';
import { show, spreadOf } from '../support/statistics.ts';

/**
 * How long `npm start` takes to work again once its database is killed or stopped, or to end where that cannot be: `node
 * test/bench/database-killed.ts 5`, so many times each, in turns.
 */
const rounds = Number(process.argv[2] ?? 5);
const seconds: Record<string, number[]> = { killed: [], stopped: [], 'killed for good': [] };
for (let round = 0; round < rounds; round++) {
  const program = await startKillable();
  try {
    seconds['killed']?.push((await program.endDatabase('SIGKILL')) / 1_000);
    seconds['stopped']?.push((await program.endDatabase('SIGINT')) / 1_000);
    seconds['killed for good']?.push((await program.killForGood()) / 1_000);
  } finally {
    await program.remove();
  }
}
console.log(`Seconds until npm start works again, or has ended; ${rounds} rounds`);
for (const [what, times] of Object.entries(seconds)) {
  console.log(`  ${what.padEnd(15)} ${show(spreadOf(times), 1)}`);
}
