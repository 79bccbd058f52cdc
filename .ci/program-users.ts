import { execFileSync } from 'node:child_process';
import { testFiles } from './test-imports.ts';

/**
 * Prints the test files that name, or import something of `test` that names, a program of `.ci/packages`: whether they
 * say so by `useProgram` or have forgotten to.
 */
const programs = execFileSync('.ci/packages', ['--programs'], { encoding: 'utf8' }).trim().split('\n');
const named = new RegExp(`\\b(${programs.join('|')})\\b`);

/** The file every user imports names the one that is no program. */
const TABLE = 'test/support/programs.ts';

for (const file of testFiles((each, text) => each !== TABLE && named.test(text))) {
  process.stdout.write(`${file}\n`);
}
