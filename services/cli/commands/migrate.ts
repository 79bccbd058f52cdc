import type { Command } from 'commander';
import { AppError } from '../../../base/errors.ts';
import { type MigrationResult, migrate, readMigrations } from '../../../db/timescale/schema/migrate.ts';
import { finishSearchIndexes } from '../../../db/timescale/schema/search-indexes.ts';
import { finishRecomputations } from '../../../domain/tracking/recompute/finish-recomputations.ts';
import type { RecomputedSoFar } from '../../../domain/tracking/recompute/recompute-organization.ts';
import { withInterruption } from '../../../platform/runtime/interruption.ts';
import { addTopCommand, tell } from '../command-line/command-line.ts';
import { withDatabaseUrl } from '../connections/database.ts';
import { describeRecomputed, sayProgress } from '../parts/recomputed-text.ts';

export function addMigrate(program: Command): void {
  addTopCommand(program, 'migrate')
    .summary('bring the database to this version')
    .description(
      'Bring the database to this version, build the indexes that are missing while others write, and compute anew ' +
        'what an earlier version computed wrong. Safe to run at any time, by any number at once; broken off, it goes ' +
        'on when it is run again.',
    )
    .addHelpText(
      'after',
      '\nExample:\n  DATABASE_URL=postgres://tagtrail:secret@db:5432/tagtrail npx --no -- tagtrail migrate',
    )
    .action(async (options) => {
      const { result, built, recomputed, isInterrupted } = await withInterruption((signal) =>
        withDatabaseUrl(async (url) => ({
          result: await migrate(url, readMigrations(), { signal, say }),
          built: await finishSearchIndexes(url, {
            signal,
            onWaiting: () => say('Another process builds the indexes of searches; waiting for it'),
            onBegin: (index) =>
              say(`Building ${index}, while others read and write; searches read every row until then`),
          }),
          recomputed: await finishRecomputations(url, {
            signal,
            onWaiting: () => say('Another process computes histories anew; waiting for it'),
            onProgress: sayNowAndThen(),
          }),
          isInterrupted: signal.aborted,
        })),
      );
      const lines = [
        describeMigrated(result),
        ...built.map((index) => `Built ${index}.`),
        ...recomputed.map((each) => describeRecomputed(each, false)),
      ];
      tell({ json: result, text: lines.join('\n') }, options);
      if (isInterrupted) {
        throw new AppError('unavailable', 'Interrupted; run it again to go on');
      }
    });
}

function describeMigrated({ applied, current }: MigrationResult): string {
  return applied.length === 0
    ? `Nothing to do: the database is at ${current}.`
    : `Applied ${applied.join(', ')}.`;
}

/** Lines, because it mostly runs without a terminal. */
function say(what: string): void {
  process.stderr.write(`${what}\n`);
}

function sayNowAndThen(): (sofar: RecomputedSoFar) => void {
  let next = Date.now() + SAY_EVERY;
  return (sofar) => {
    if (Date.now() >= next) {
      next = Date.now() + SAY_EVERY;
      say(sayProgress(sofar));
    }
  };
}

/** Milliseconds. */
const SAY_EVERY = 10_000;
