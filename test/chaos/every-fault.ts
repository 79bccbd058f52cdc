import { runAlerts } from './alert-run.ts';
import type { LongForm } from './long-form.ts';
import { runLong } from './long-run.ts';
import { OPTIONS, readChaosOptions } from './options.ts';
import { runOutage } from './outage-run.ts';
import { randomFrom } from './random-from.ts';
import { isClean, showAlertRun, showLongRun, showOutageRun } from './report.ts';
import { showProgress } from './show-progress.ts';

export const EVERY_FAULT: LongForm = {
  summary:
    'every fault at once, then a minute without database, then kills of the processes that derive alerts',
  options: OPTIONS,
  run: async (args, isTimescale, signal) => {
    const options = readChaosOptions(args);
    let isAllRight = true;
    console.log(`On ${isTimescale ? 'TimescaleDB' : 'the embedded PostgreSQL'}, seed ${options.seed}`);
    for (const source of options.through) {
      const run = await runLong(source, options, isTimescale, randomFrom(options.seed), {
        onProgress: showProgress,
        signal,
      });
      showProgress('');
      console.log(showLongRun(run));
      isAllRight &&= isClean(run.findings);
    }
    for (const source of options.outage === 0 ? [] : options.through) {
      const run = await runOutage(source, options.outage, isTimescale, signal);
      console.log(showOutageRun(run, options.outage));
      isAllRight &&= isClean(run.findings) && run.acknowledged === 0 && run.readerDisconnects === 0;
    }
    if (options.alertKills > 0) {
      const run = await runAlerts(options.alertKills, isTimescale, randomFrom(options.seed), signal);
      console.log(showAlertRun(run));
      isAllRight &&= run.faults.length === 0;
    }
    return isAllRight;
  },
};
