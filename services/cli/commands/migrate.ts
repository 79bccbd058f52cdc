import { AppError, messageOf } from '../../../base/errors.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { sqlStateOf } from '../../../db/timescale/connections/sql-state.ts';
import { allowLogin, requireAllowable } from '../../../db/timescale/schema/allow-login.ts';
import { type MigrationResult, migrate } from '../../../db/timescale/schema/migrate.ts';
import { readMigrations } from '../../../db/timescale/schema/migrations.ts';
import { finishSearchIndexes } from '../../../db/timescale/schema/search-indexes.ts';
import { requireReachable } from '../../../platform/runtime/database.ts';
import { withInterruption } from '../../../platform/runtime/interruption.ts';
import { addTopCommand, type Command, printResult } from '../command-line/command-line.ts';
import { withOwnerUrl } from '../connections/database.ts';
import { running } from '../running/running.ts';

export function addMigrate(program: Command): void {
  addTopCommand(program, 'migrate')
    .summary('bring the database to this version')
    .description(
      'Bring the database to this version, and build missing indexes while others write. ' +
        'Safe to run at any time, also several at once; if interrupted, run it again. With ' +
        'MIGRATE_DATABASE_URL it uses that, and gives the user of DATABASE_URL the rights of the processes.',
    )
    .addHelpText(
      'after',
      `\nExample:\n  DATABASE_URL=postgres://tagtrail:secret@db:5432/tagtrail ${TAGTRAIL} migrate`,
    )
    .action(async () => {
      const { result, isNewLogin, built, isInterrupted } = await withInterruption((signal) =>
        withOwnerUrl(async (url, processUrl) => ({
          result: await migrated(url, processUrl, signal),
          isNewLogin: processUrl !== null && (await letIn(url, processUrl)),
          built: await finishSearchIndexes(url, {
            signal,
            onWaiting: (who) =>
              say(`Another process is building the missing indexes: ${who}; waiting for it`),
            onBlocked: (index, who) => say(`The build of ${index} waits for ${who}`),
            onBegin: (index) =>
              say(`Building ${index} while others read and write; until then its queries read every row`),
          }),
          isInterrupted: signal.aborted,
        })),
      );
      const lines = [
        describeMigrated(result),
        ...(isNewLogin ? ['Created the user of DATABASE_URL with the roles of the processes.'] : []),
        ...built.map((index) => `Built ${index}.`),
      ];
      printResult({ json: result, text: lines.join('\n') });
      if (isInterrupted) {
        throw new AppError('unavailable', 'Interrupted; run it again to continue');
      }
    });
}

async function migrated(
  ownerUrl: string,
  processUrl: string | null,
  signal: AbortSignal,
): Promise<MigrationResult> {
  if (processUrl !== null) {
    await requireAllowable(ownerUrl, processUrl);
  }
  return migrate(ownerUrl, readMigrations(), { signal, say });
}

/** Existing users keep their passwords, or stay without. */
async function letIn(ownerUrl: string, processUrl: string): Promise<boolean> {
  const isNew = await allowLogin(ownerUrl, processUrl);
  await requireReachable(processUrl).catch((error) => {
    const isPassword = error instanceof AppError && sqlStateOf(error.cause) === INVALID_PASSWORD;
    say(
      `Processes cannot sign in from here: ${messageOf(error)}${isPassword ? `. ${REMEDY_OF_PASSWORD}` : ''}`,
    );
  });
  return isNew;
}

const INVALID_PASSWORD = '28P01';
const REMEDY_OF_PASSWORD =
  "An existing user keeps its password: correct DATABASE_URL, or change the password by: alter role ... password '...';";

function describeMigrated({ applied, current }: MigrationResult): string {
  return applied.length === 0
    ? `Nothing to do: the database is at ${current}.`
    : `Applied ${applied.join(', ')}.`;
}

function say(what: string): void {
  running().streams.stderr.write(`${what}\n`);
}
