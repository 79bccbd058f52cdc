import { globSync } from 'node:fs';
import { matchesGlob } from 'node:path';

/**
 * The tests that TimescaleDB can make a difference to. It has four hypertables: scans, transitions, sealed moves and readings. A test
 * that has one of them written must match one of these patterns or of those below, else it fails on any database
 * (`test/support/database.ts`). `.ci/run` runs the files that this prints, and those that it prints for `--only` nowhere else;
 * `.ci/nightly` runs all there, but for clients and `*.nightly.ts`, which judge time, kill brokers or take long.
 */
const ON_TIMESCALEDB = [
  // The tables themselves, and what copies, moves or drops their rows.
  'test/db/schema/{hypertables,migrate,ordinary-owner,retention,retention-of-moves,schema,service-login}.test.ts',
  'test/db/schema/{from-smoothing,location-versions,sequence-use,taken-over}.test.ts',
  'test/db/cells/move.test.ts',
  'test/cli/{cell,clock,database-backup,doctor,doctor-locating,erase,history,locate{,-try},org-import*,why}.test.ts',
  'test/deploy/timescaledb-backup.test.ts',
  'test/domain/administration/locating.test.ts',
  // Recording and sealing, also while processes and databases end.
  'test/domain/messages/*.test.ts',
  'test/domain/moves/{clock,flapping,read,wake}*.test.ts',
  'test/domain/moves/{published,sealing}/*s.test.ts',
  'test/domain/moves/sealing/{seal-batch,set-aside}.test.ts',
  'test/domain/tracking/{record*,deciding-scan,locked-positions,moves}.test.ts',
  'test/domain/tracking/{feed/{position-at,unsealed-moves},recompute/*,retractions/take-back,why/*}.test.ts',
  'test/domain/tracking/plans/*.test.ts',
  'test/domain/tracking/location/{measured,recorded-period,run-trial,trial.property,try-setting}.test.ts',
  'test/domain/tracking/location/record*.test.ts',
  'test/mqtt-ingest/{intake,moves-out}/*.test.ts',
  'test/mqtt-ingest/{clocks-apart,process,wrong-clock}.test.ts',
  'test/worker/{recompute-histories,retain}.test.ts',
  'test/handheld-gateway/{guessed-kinds,retractions*,moves-in-doubt,submissions*,submission-times,sweep-alerts,wrong-clock}.test.ts',
  'test/chaos/{clock,database,findings,follow-feed,full-disk,kill-before-commit,kill-ingest,poison}.test.ts',
  'test/growing/*.test.ts',
  // Reading them.
  'test/domain/reports/**/*.test.ts',
  'test/domain/presence/coverage/learn-gaps.test.ts',
  'test/domain/alerts/conditions/load-*.test.ts',
  'test/domain/alerts/deriving/{ask-expected,derive-organization,floods,readings,set-aside,*-turn*}.test.ts',
  'test/domain/alerts/trial/*.test.ts',
  'test/api/{epcis,history,moves,reports}/**/*.test.ts',
  'test/api/readings.test.ts',
  'test/api/{description/valid-requests.property,fuzz/fuzz,tenants,tracking}.test.ts',
  'test/console/{ahead-of-now,events,every-list-parameter,lists-without-statistics,presence,locating,report-exports,turns,whereabouts}.test.ts',
  'test/cli/{report-exports,simulate-truth}.test.ts',
  'test/contract/{concurrency,history,moves,paging,report*}.test.ts',
];

/** Tests that also run on PostgreSQL alone for every change: the schema, and recording. */
const ON_BOTH = [
  'test/db/schema/*.test.ts',
  'test/domain/tracking/record{.property,-batches}.test.ts',
  'test/api/tracking.test.ts',
];

/** Tests that write them, too, and could not tell one database from another: why, and which. */
const SAME_ON_ANY: Record<string, readonly string[]> = {
  'A browser or a client is tried: they see what the API and the gateway answer.': [
    'test/clients/**',
    'test/chaos/copy-in-step.test.ts',
  ],
  'Brokers and their sessions are tried, or receivers and mail servers that are told of events.': [
    'test/mqtt-ingest/{source,push,consumers,registry,metrics}/**',
    'test/mqtt-ingest/{health-over-tls,readiness}.test.ts',
    'test/chaos/{kill-settled,kill-webhooks,kill-while-alerting,kill-while-silent,network,receiver-outage}.test.ts',
    'test/domain/{webhooks,alerts/mail}/**',
    'test/api/webhooks/**',
    'test/worker/*mail*.test.ts',
    'test/cli/doctor-webhooks.test.ts',
  ],
  'Something was seen, so that there is something to show, to name, to refuse or to hide.': [
    'test/api/{asset-list,mcp,rules/{rules,trials}}.test.ts',
    'test/cli/{database*,doctor-moves-out,handheld,import-respelled-tags,json,location,logged-changes,reader,rejected,rule}.test.ts',
    'test/cli/{simulate,simulate-presence,unfinished-exports,unknown-tags}.test.ts',
    'test/console/{labels,listening,places,plans,readers*,rejected}.test.ts',
    'test/contract/{asset-endpoints,asset-fields,effective-window,states-deletes}.test.ts',
    'test/domain/alerts/deriving/{load-reaching,too-much-evidence}.test.ts',
    'test/domain/deep-tree.test.ts',
    'test/handheld-gateway/{access,asked-once,assets,clocks-apart,limits,look-ups,lost-database,open-bodies,secrets}.test.ts',
    'test/platform/runtime/*.test.ts',
    'test/standalone/*.test.ts',
  ],
};
const patterns = [...ON_TIMESCALEDB, ...Object.values(SAME_ON_ANY).flat()];

/** Whether it has been decided if the test is run on TimescaleDB. */
export function isDecided(file: string): boolean {
  return file.endsWith('.nightly.ts') || patterns.some((pattern) => matchesGlob(file, pattern));
}

if (import.meta.main) {
  const idle = [...patterns, ...ON_BOTH].filter((pattern) => globSync(pattern).length === 0);
  if (idle.length > 0) {
    throw new Error(`No test is named by ${idle.join(', ')}`);
  }
  const isOnBoth = (file: string) => ON_BOTH.some((pattern) => matchesGlob(file, pattern));
  const files = globSync(ON_TIMESCALEDB).filter((file) => process.argv[2] !== '--only' || !isOnBoth(file));
  process.stdout.write(files.sort().join('\n'));
}
