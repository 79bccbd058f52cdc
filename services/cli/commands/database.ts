import { AppError } from '../../../base/errors.ts';
import { table } from '../../../base/table.ts';
import { START, TAGTRAIL } from '../../../base/typed-command.ts';
import { inSnapshot } from '../../../db/timescale/connections/transaction.ts';
import { backUp, restore } from '../../../db/timescale/copy/back-up-and-restore.ts';
import { packed, unpacked } from '../../../db/timescale/copy/backup-file.ts';
import { checksums, type TableChecksum } from '../../../db/timescale/copy/checksum.ts';
import { copyDatabase } from '../../../db/timescale/copy/copy-database.ts';
import { addCommand, type Command, examples, printResult } from '../command-line/command-line.ts';
import {
  withConnections,
  withEarlierToo,
  withMigratedUrl,
  withNewOwnerUrl,
} from '../connections/database.ts';
import { openFileOrStdin, rethrowAsFileFault } from '../files/read-file.ts';
import { replaceFile } from '../files/replace-file.ts';
import { requireOtherDatabase } from '../parts/other-database.ts';
import { running, showProgress } from '../running/running.ts';
import { writeToOutput } from '../running/standard-output.ts';

export function addDatabase(program: Command): void {
  addDatabaseCopy(program);
  addDatabaseBackup(program);
  addDatabaseRestore(program);
  addDatabaseChecksums(program);
}

interface CopyOptions {
  to: string;
  whileRunning?: true;
}

function addDatabaseCopy(program: Command): void {
  addCommand(program, 'database', 'copy')
    .description(
      'Copy everything to another, empty database, for example from the embedded one to TimescaleDB: all or nothing. Rows and checksums of every table are compared before the commit.',
    )
    .requiredOption(
      '--to <url>',
      'the target, postgres://user@host:5432/tagtrail, with the password in PGPASSWORD or PGPASSFILE; created if missing',
    )
    .option('--while-running', 'copy even while processes use the database; their later writes are left out')
    .addHelpText(
      'after',
      `\nExample, with ${START} stopped:\n  PGPASSWORD=secret ${TAGTRAIL} database copy --to postgres://tagtrail@db:5432/tagtrail`,
    )
    .prints(async (options: CopyOptions) => {
      const target = await requireOtherDatabase(options.to, { isNew: true });
      const progress = showProgress();
      const copied = await withMigratedUrl((source) =>
        copyDatabase(source, target, {
          isWhileRunning: options.whileRunning === true,
          onProgress: (name, rows) => progress.show(`${name}: ${rows} rows`),
        }),
      ).finally(() => progress.end());
      const lines = checksumTable(copied);
      return { json: { copied }, text: [...lines, 'Everything is copied, and agrees.'].join('\n') };
    });
}

interface BackupOptions {
  file: string;
}

/** Private, because it has digests of passwords, addresses and positions. */
const PRIVATE = 0o600;

function addDatabaseBackup(program: Command): void {
  addCommand(program, 'database', 'backup')
    .description(
      'Write the whole database, as of one instant, to a file, while everything runs. An existing file is replaced when the new one is complete. Secrets of webhooks stay encrypted by SECRETS_KEY, which is not in the backup.',
    )
    .requiredOption('--file <path>', 'the file, readable by its owner only; - for standard output')
    .addHelpText(...examples('database backup --file tagtrail.backup'))
    .action(async (options: BackupOptions) => {
      const isToStdout = options.file === '-';
      if (isToStdout && running().isJson) {
        throw new AppError(
          'invalid_input',
          'With --file - the backup is on standard output, so --json is not possible',
        );
      }
      const progress = showProgress();
      const tables = await withEarlierToo((pool) =>
        inSnapshot(pool, async (client) => {
          const sums: TableChecksum[] = [];
          const pieces = backUp(client, {
            onProgress: (name, rows) => progress.show(`${name}: ${rows} rows`),
            onSum: (sum) => sums.push(sum),
          });
          await (isToStdout
            ? writeAll(packed(pieces))
            : replaceFile(options.file, (file) => file.writeFile(packed(pieces)), PRIVATE));
          return sums;
        }),
      ).finally(() => progress.end());
      if (isToStdout) {
        return;
      }
      const lines = checksumTable(tables);
      printResult({
        json: { file: options.file, tables },
        text: [...lines, `The backup is complete: ${options.file}.`].join('\n'),
      });
    });
}

async function writeAll(chunks: AsyncIterable<Buffer>): Promise<void> {
  for await (const chunk of chunks) {
    await writeToOutput(chunk);
  }
}

interface RestoreOptions {
  file: string;
}

function addDatabaseRestore(program: Command): void {
  addCommand(program, 'database', 'restore')
    .description(
      'Restore a backup into an empty database, created if missing: all or nothing. Rows and checksums of every table are compared before the commit. Uses MIGRATE_DATABASE_URL if set. Afterwards run migrate, which lets the user of DATABASE_URL in.',
    )
    .requiredOption('--file <path>', 'the backup; - for standard input')
    .addHelpText(...examples('database restore --file tagtrail.backup'))
    .prints(async (options: RestoreOptions) => {
      const progress = showProgress();
      const file = await openFileOrStdin(options.file, 'The backup');
      const { at, tables, hadTimescale, hasTimescale } = await withNewOwnerUrl((url) =>
        restore(url, unpacked(file), (name, rows) => progress.show(`${name}: ${rows} rows`)),
      )
        .catch(rethrowAsFileFault)
        .finally(() => {
          progress.end();
          file.destroy();
        });
      const lines = [
        ...checksumTable(tables),
        `Everything is restored, as of ${at}, and agrees.`,
        ...(hadTimescale && !hasTimescale
          ? ['The backup comes from TimescaleDB, which this server lacks: old scans are deleted row by row.']
          : []),
        `Next: ${TAGTRAIL} migrate`,
      ];
      return {
        json: { at, tables, had_timescale: hadTimescale, has_timescale: hasTimescale },
        text: lines.join('\n'),
      };
    });
}

function addDatabaseChecksums(program: Command): void {
  addCommand(program, 'database', 'checksums')
    .description(
      'Count the rows of every table, with a checksum. Databases with equal output have equal content, for example before a backup and after its restore.',
    )
    .addHelpText(...examples('database checksums --json > before.json'))
    .prints(async () => {
      const sums = await withConnections(({ pool }) => inSnapshot(pool, (client) => checksums(client)));
      return { json: sums, text: checksumTable(sums).join('\n') };
    });
}

function checksumTable(sums: readonly TableChecksum[]): string[] {
  return table(
    ['table', 'rows', 'checksum'],
    sums.map(({ table: name, rows, checksum }) => [name, String(rows), checksum]),
  );
}
