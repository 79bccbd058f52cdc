import type { Command } from 'commander';
import { table } from '../../../base/table.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { copyDatabase } from '../../../db/timescale/copy/copy-database.ts';
import { addCommand, printResult } from '../command-line/command-line.ts';
import { withMigratedUrl } from '../connections/database.ts';
import { requireOtherDatabase } from '../parts/other-database.ts';
import { showProgress } from '../running/progress.ts';

interface Options {
  to: string;
  whileRunning?: true;
  json?: boolean;
}

export function addDatabaseCopy(program: Command): void {
  addCommand(program, 'database', 'copy')
    .description(
      'Copy everything to another database, which must be empty: from the embedded one to TimescaleDB, for example. All of it or nothing; rows and checksums of every table are compared before it counts.',
    )
    .requiredOption(
      '--to <url>',
      'where to, postgres://user@host:5432/tagtrail, with the password in PGPASSWORD or a file of PGPASSFILE; made if it is not there',
    )
    .option(
      '--while-running',
      'copy although processes use the database; what they write meanwhile is left out',
    )
    .addHelpText(
      'after',
      `\nExample, with npm start stopped:\n  PGPASSWORD=secret ${TAGTRAIL} database copy --to postgres://tagtrail@db:5432/tagtrail`,
    )
    .action(async (options: Options) => {
      const target = await requireOtherDatabase(options.to, { isNew: true });
      const progress = showProgress();
      const copied = await withMigratedUrl((source) =>
        copyDatabase(source, target, {
          isWhileRunning: options.whileRunning === true,
          onProgress: (name, rows) => progress.show(`${name}: ${rows} rows`),
        }),
      ).finally(() => progress.end());
      const lines = table(
        ['table', 'rows', 'checksum'],
        copied.map(({ table: name, rows, checksum }) => [name, String(rows), checksum]),
      );
      printResult(
        { json: { copied }, text: [...lines, 'All of it is there, and agrees.'].join('\n') },
        options,
      );
    });
}
