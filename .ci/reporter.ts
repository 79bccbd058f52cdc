import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import Mocha from 'mocha';

/**
 * mocha's own report, and in the file `MOCHA_COUNTS` names: how many tests passed, failed and were skipped in the
 * first line, then a line for each that failed, with its file and error, and for each that was skipped.
 */
export default class CountingReporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    // Put into words at the end: hooks after a test add to its error what they know.
    const remarks: (() => string)[] = [];
    runner.on('fail', (test, error) => remarks.push(() => `Failed: ${named(test)}: ${inOneLine(error)}`));
    runner.on('pending', (test) => remarks.push(() => `Skipped: ${named(test)}`));
    runner.once('end', () => {
      const { passes, failures, pending } = this.stats;
      const counts = [passes, failures, pending].join(' ');
      writeFileSync(
        process.env['MOCHA_COUNTS'] ?? '/dev/stderr',
        `${[counts, ...remarks.map((say) => say())].join('\n')}\n`,
      );
    });
  }
}

function named(test: Mocha.Runnable): string {
  return `${relative(process.cwd(), test.file ?? '')}: ${test.fullTitle()}`;
}

function inOneLine(error: Error): string {
  return String(error.stack ?? error)
    .replaceAll(/\s+/g, ' ')
    .slice(0, 1_200);
}
