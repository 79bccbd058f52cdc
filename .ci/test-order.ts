import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { testFiles } from './test-imports.ts';

/**
 * Prints test files, those it is given or else all, in the order in which CI runs them: first those that take longest, so
 * that none of them is left alone in the end; then the others mixed, always in the same way. By their paths, those that
 * compute would run beside each other, and so would those that wait, while the processors have nothing to do.
 */
const LONGEST = [
  'test/clients/handheld-app/screens.test.ts',
  'test/cli/simulate.test.ts',
  'test/docs/commands.test.ts',
  'test/mqtt-ingest/source/slow-consumer.test.ts',
  'test/api/held-loop.test.ts',
  'test/chaos/restart-broker.test.ts',
  'test/clients/console-app/readers.test.ts',
  'test/standalone/start.test.ts',
  'test/cli/logged-changes.test.ts',
  'test/domain/tracking/smoothing/record.property.test.ts',
];
const gone = LONGEST.filter((file) => !existsSync(file));
if (gone.length > 0) {
  throw new Error(`No test file is named ${gone.join(', ')}`);
}
const given = process.argv.slice(2);
const files = given.length > 0 ? given : testFiles(() => true);
const first = LONGEST.filter((file) => files.includes(file));
const mixed = files.filter((file) => !LONGEST.includes(file)).sort((a, b) => place(a) - place(b));
process.stdout.write(`${[...first, ...mixed].join('\n')}\n`);

function place(file: string): number {
  return createHash('sha256').update(file).digest().readUInt32BE();
}
