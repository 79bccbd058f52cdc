import type { Command } from 'commander';
import { table } from '../../../base/table.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { unpacked } from '../../../db/timescale/copy/backup-file.ts';
import { restore } from '../../../db/timescale/copy/restore.ts';
import { addCommand, printResult } from '../command-line/command-line.ts';
import { withNewOwnerUrl } from '../connections/database.ts';
import { rethrowAsFileFault } from '../files/file-fault.ts';
import { openFileOrStdin } from '../files/read-file.ts';
import { showProgress } from '../running/progress.ts';

interface Options {
  file: string;
  json?: boolean;
}

export function addDatabaseRestore(program: Command): void {
  addCommand(program, 'database', 'restore')
    .description(
      'Put a backup into an empty database, which is made if it is not there: all of it or nothing; rows and checksums of every table are compared before it counts. With MIGRATE_DATABASE_URL by that. Afterwards migrate, which lets the user of DATABASE_URL in.',
    )
    .requiredOption('--file <path>', 'what database backup wrote; - for standard input')
    .addHelpText('after', `\nExample:\n  ${TAGTRAIL} database restore --file tagtrail.backup`)
    .action(async (options: Options) => {
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
        ...table(
          ['table', 'rows', 'checksum'],
          tables.map(({ table: name, rows, checksum }) => [name, String(rows), checksum]),
        ),
        `All of it is there, as of ${at}, and agrees.`,
        ...(hadTimescale && !hasTimescale
          ? [
              'The backup is of TimescaleDB, and this server does not have it: old scans are deleted row by row.',
            ]
          : []),
        `Next: ${TAGTRAIL} migrate`,
      ];
      printResult(
        {
          json: { at, tables, had_timescale: hadTimescale, has_timescale: hasTimescale },
          text: lines.join('\n'),
        },
        options,
      );
    });
}
