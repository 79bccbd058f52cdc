import { writeFileSync } from 'node:fs';
import Mocha from 'mocha';

/**
 * mocha's own report, and in the file `MOCHA_COUNTS` names: how many tests passed, failed and were skipped in the
 * first line, then the skipped ones' titles.
 */
export default class CountingReporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    const skipped: string[] = [];
    runner.on('pending', (test) => skipped.push(test.fullTitle()));
    runner.once('end', () => {
      const counts = [this.stats.passes, this.stats.failures, skipped.length].join(' ');
      writeFileSync(process.env['MOCHA_COUNTS'] ?? '/dev/stderr', `${[counts, ...skipped].join('\n')}\n`);
    });
  }
}
