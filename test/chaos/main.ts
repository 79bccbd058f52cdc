import { SERVER_URL } from '../support/database.ts';
import { runAlerts } from './alert-run.ts';
import { hasTimescale } from './crashing-database.ts';
import { runLong } from './long-run.ts';
import { readChaosOptions, USAGE } from './options.ts';
import { runOutage } from './outage-run.ts';
import { isClean, showAlertRun, showLongRun, showOutageRun } from './report.ts';

/** Every fault at once, for long, and what came of it. Ends with 1 if anything is missing, doubled or wrong. */
const args = process.argv.slice(2);
if (args.includes('--help')) {
  console.log(USAGE);
  process.exit();
}
const options = readChaosOptions(args);
const server = process.env[SERVER_URL];
const isTimescale = server !== undefined && (await hasTimescale(server));
const onProgress = (line: string) => {
  if (process.stderr.isTTY) {
    process.stderr.write(`\r\u001b[K${line}`);
  }
};
let isAllRight = true;
console.log(`On ${isTimescale ? 'TimescaleDB' : 'the embedded PostgreSQL'}, seed ${options.seed}`);
for (const source of options.through) {
  const run = await runLong(source, options, isTimescale, randomFrom(options.seed), onProgress);
  onProgress('');
  console.log(showLongRun(run));
  isAllRight &&= isClean(run.findings);
}
for (const source of options.outage === 0 ? [] : options.through) {
  const run = await runOutage(source, options.outage, isTimescale);
  console.log(showOutageRun(run, options.outage));
  isAllRight &&= isClean(run.findings) && run.acknowledged === 0 && run.readerDisconnects === 0;
}
if (options.alertKills > 0) {
  const run = await runAlerts(options.alertKills, isTimescale, randomFrom(options.seed));
  console.log(showAlertRun(run));
  isAllRight &&= run.faults.length === 0;
}
process.exitCode = isAllRight ? 0 : 1;

/** The same numbers from 0 to 1 for the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b_79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}
