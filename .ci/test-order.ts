import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';

/**
 * `test-order.ts 1/2 FILE...` prints the first half of the test files it is given, in the order in which CI runs them: first
 * those that take longest, so that none of them is left alone in the end; then the others mixed, always in the same way.
 * By their paths, those that compute would run beside each other, and so would those that wait, while the processors have
 * nothing to do.
 */
const LONGEST = [
  'test/docs/commands/others.test.ts',
  'test/console/logged-changes.test.ts',
  'test/clients/handheld-app/screens.test.ts',
  'test/cli/simulate.test.ts',
  'test/mqtt-ingest/source/slow-consumer.test.ts',
  'test/chaos/restart-broker.nightly.ts',
  'test/clients/console-app/readers.test.ts',
  'test/cli/logged-changes.test.ts',
  'test/domain/tracking/location/record.property.test.ts',
  'test/chaos/database.test.ts',
];
const gone = LONGEST.filter((file) => !existsSync(file));
if (gone.length > 0) {
  throw new Error(`No test file is named ${gone.join(', ')}`);
}
const [part = '', ...files] = process.argv.slice(2);
const [mine = 1, parts = 1] = part.split('/').map(Number);
const ordered = files.toSorted((a, b) => rank(a) - rank(b) || place(a) - place(b));
process.stdout.write(ordered.filter((_, at) => at % parts === mine - 1).join('\n'));

function rank(file: string): number {
  const at = LONGEST.indexOf(file);
  return at === -1 ? LONGEST.length : at;
}

function place(file: string): number {
  return createHash('sha256').update(file).digest().readUInt32BE();
}
