import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Prints the test files that name, or import something of `test` that names, a program of `.ci/packages`: whether they
 * say so by `useProgram` or have forgotten to.
 */
const programs = execFileSync('.ci/packages', ['--programs'], { encoding: 'utf8' }).trim().split('\n');
const named = new RegExp(`\\b(${programs.join('|')})\\b`);
const IMPORT = /from '(\.[^']+)'/g;

/** Whether a file, or one it imports, names one. `seen` ends circles. */
function names(file: string, seen: Set<string>): boolean {
  if (seen.has(file) || !file.startsWith('test/') || !existsSync(file)) {
    return false;
  }
  seen.add(file);
  const text = readFileSync(file, 'utf8');
  return (
    named.test(withoutTheTable(file, text)) ||
    [...text.matchAll(IMPORT)].some(([, path = '']) => names(join(dirname(file), path), seen))
  );
}

/** The file every user imports names the one that is no program. */
function withoutTheTable(file: string, text: string): string {
  return file === 'test/support/programs.ts' ? '' : text;
}

for (const file of globSync('test/**/*.test.ts').sort()) {
  if (!file.startsWith('test/bench/') && names(file, new Set())) {
    process.stdout.write(`${file}\n`);
  }
}
