import { matchesGlob } from 'node:path';
import { testFiles } from './test-imports.ts';

/**
 * Prints the test files that a second PostgreSQL can make a difference to: those that work on the server the suite was
 * given (`test/support/database.ts`), but for what the table names. TimescaleDB makes three tables hypertables: scans,
 * transitions and sealed moves. Whatever reads or writes those stays, and so does all that is measured in rows, locks and
 * statements.
 */
const SAME_ON_ANY: Record<string, readonly string[]> = {
  'The thread that answers is measured, or what it makes of a body, and not the database.': [
    'test/**/held-loop.test.ts',
  ],
  'Brokers, their connections and sessions are tried; what is received is recorded in intake and chaos.': [
    'test/mqtt-ingest/source/**',
    'test/chaos/restart-broker.test.ts',
    'test/chaos/kill-broker.test.ts',
    'test/console/readers-at-broker.test.ts',
    'test/mqtt-ingest/consumers/**',
  ],
  'A browser or a client is tried: they see what the API and the gateway answer.': [
    'test/clients/**',
    'test/clients/handheld-app/**',
    'test/api/description/page-in-browser.test.ts',
  ],
  'The database is always the embedded one.': [
    'test/cli/doctor-embedded.test.ts',
    'test/cli/embedded.test.ts',
    'test/deploy/embedded-backup.test.ts',
    'test/standalone/**',
  ],
  'Processes and receivers are killed; what is delivered is read and recorded in domain.': [
    'test/chaos/kill-webhooks.test.ts',
    'test/chaos/kill-while-alerting.test.ts',
    'test/chaos/receiver-outage.test.ts',
  ],
  'Arguments are told right from wrong, and what is written is in ordinary tables.': [
    'test/cli/changes.test.ts',
    'test/cli/cli.test.ts',
    'test/cli/doctor-sign-ins.test.ts',
    'test/cli/format.test.ts',
    'test/cli/handheld.test.ts',
    'test/cli/hidden-names.test.ts',
    'test/cli/import-export*.test.ts',
    'test/cli/lists.test.ts',
    'test/cli/logged-changes.test.ts',
    'test/cli/mqtt-consumer.test.ts',
    'test/cli/organizations-and-keys.test.ts',
    'test/cli/reader.test.ts',
    'test/cli/simulate.test.ts',
    'test/cli/usage.test.ts',
    'test/cli/user.test.ts',
    'test/cli/webhook.test.ts',
  ],
  'What people set up is in ordinary tables, too.': [
    'test/domain/administration/**',
    'test/console/attacks.test.ts',
    'test/console/exports.test.ts',
    'test/console/idle-sessions.test.ts',
    'test/console/imports.test.ts',
    'test/console/inbox.test.ts',
    'test/console/readers.test.ts',
    'test/console/users.test.ts',
  ],
  'Only assets, locations and their tags are written; their queries are tried in api and contract.': [
    'test/domain/master-data/imports/**',
    'test/domain/master-data/live-count/**',
  ],
  'Credentials, connections and bytes of requests are tried; the database keeps keys, if anything.': [
    'test/api/access*.test.ts',
    'test/api/api-keys.test.ts',
    'test/api/deaf-senders.test.ts',
    'test/api/failed-sign-ins.test.ts',
    'test/api/half-closed.test.ts',
    'test/api/rate-limit/**',
    'test/api/refused-bodies.test.ts',
    'test/api/unparsed.test.ts',
    'test/base/heard-everywhere.test.ts',
    'test/console/oidc.test.ts',
    'test/console/sign-in.test.ts',
    'test/handheld-gateway/access.test.ts',
    'test/handheld-gateway/app-files.test.ts',
    'test/handheld-gateway/limits.test.ts',
    'test/handheld-gateway/open-bodies.test.ts',
  ],
  'What is between a process and the server is tried: poolers, and links that are cut or silent.': [
    'test/api/lost-database.test.ts',
    'test/db/connections/direct-connection.test.ts',
    'test/db/connections/silent-connections.test.ts',
    'test/handheld-gateway/lost-database.test.ts',
    'test/platform/runtime/**',
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
