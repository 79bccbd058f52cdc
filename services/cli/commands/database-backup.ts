import type { Command } from 'commander';
import { AppError } from '../../../base/errors.ts';
import { table } from '../../../base/table.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { inSnapshot } from '../../../db/timescale/connections/transaction.ts';
import { backUp } from '../../../db/timescale/copy/back-up.ts';
import { packed } from '../../../db/timescale/copy/backup-file.ts';
import type { TableChecksum } from '../../../db/timescale/copy/checksum.ts';
import { addCommand, printResult } from '../command-line/command-line.ts';
import { withEarlierToo } from '../connections/database.ts';
import { replaceFile } from '../files/replace-file.ts';
import { showProgress } from '../running/progress.ts';
import { writeToOutput } from '../running/standard-output.ts';

interface Options {
  file: string;
  json?: boolean;
}

/** It has everything: digests of passwords, addresses of people, and where everything was. */
const PRIVATE = 0o600;

export function addDatabaseBackup(program: Command): void {
  addCommand(program, 'database', 'backup')
    .description(
      'Write everything that the database holds, as of one instant, to a file, while everything runs: of the embedded database or any other, also of one that is to be migrated yet. A file that is there is replaced when the new one is complete. Secrets of webhooks stay encrypted by SECRETS_KEY, which is not in it.',
    )
    .requiredOption('--file <path>', 'where to; nobody else may read it; - for standard output')
    .addHelpText('after', `\nExample:\n  ${TAGTRAIL} database backup --file tagtrail.backup`)
    .action(async (options: Options) => {
      const isToStdout = options.file === '-';
      if (isToStdout && options.json === true) {
        throw new AppError(
          'invalid_input',
          'With --file - the backup is on standard output, and --json cannot be',
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
      const lines = table(
        ['table', 'rows', 'checksum'],
        tables.map(({ table: name, rows, checksum }) => [name, String(rows), checksum]),
      );
      printResult(
        {
          json: { file: options.file, tables },
          text: [...lines, `All of it is in ${options.file}.`].join('\n'),
        },
        options,
      );
    });
}

async function writeAll(chunks: AsyncIterable<Buffer>): Promise<void> {
  for await (const chunk of chunks) {
    await writeToOutput(chunk);
  }
}
