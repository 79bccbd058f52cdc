import { matchesGlob } from 'node:path';
import { testFiles } from './test-imports.ts';

/**
 * Prints the test files that a second PostgreSQL can make a difference to: those that work on the server the suite was
 * given (`test/support/database.ts`), but for what the table names. TimescaleDB makes two tables hypertables, scans and
 * transitions; whatever reads or writes those stays, and so does all that is measured in rows, locks and statements.
 */
const SAME_ON_ANY: Record<string, readonly string[]> = {
  'The thread that answers is measured, or what it makes of a body, and not the database.': [
    'test/**/held-loop.test.ts',
  ],
  'Brokers, their connections and sessions are tried; what is received is recorded in intake and chaos.': [
    'test/mqtt-ingest/source/**',
    'test/chaos/restart-broker.test.ts',
    'test/chaos/kill-broker.test.ts',
  ],
  'A browser or a client is tried: they see what the API and the gateway answer.': [
    'test/clients/**',
    'test/clients/handheld-app/**',
    'test/api/description/page-in-browser.test.ts',
  ],
  'The database is always the embedded one.': [
    'test/standalone/**',
    'test/cli/embedded.test.ts',
    'test/deploy/embedded-backup.test.ts',
  ],
  'Arguments are told right from wrong, and what is written is in ordinary tables.': [
    'test/cli/usage.test.ts',
    'test/cli/format.test.ts',
    'test/cli/simulate.test.ts',
    'test/cli/organizations-and-keys.test.ts',
    'test/cli/handheld.test.ts',
    'test/cli/doctor-sign-ins.test.ts',
    'test/cli/lists.test.ts',
  ],
  'A file is tried as it is delivered.': ['test/deploy/image.test.ts'],
};
const patterns = Object.values(SAME_ON_ANY).flat();
const used = new Set<string>();

for (const file of testFiles((each) => each === 'test/support/database.ts')) {
  const matching = patterns.filter((pattern) => matchesGlob(file, pattern));
  for (const pattern of matching) {
    used.add(pattern);
  }
  if (matching.length === 0) {
    process.stdout.write(`${file}\n`);
  }
}
const idle = patterns.filter((pattern) => !used.has(pattern));
if (idle.length > 0) {
  throw new Error(`No test file that uses the database is named by ${idle.join(', ')}`);
}
