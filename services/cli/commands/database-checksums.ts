import type { Command } from 'commander';
import { table } from '../../../base/table.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { inSnapshot } from '../../../db/timescale/connections/transaction.ts';
import { checksums } from '../../../db/timescale/copy/checksum.ts';
import { addCommand, printResult } from '../command-line/command-line.ts';
import { withConnections } from '../connections/database.ts';

export function addDatabaseChecksums(program: Command): void {
  addCommand(program, 'database', 'checksums')
    .description(
      'Count the rows of every table and sum them up. Two databases that say the same hold the same: a backup and what was restored from it, for example.',
    )
    .addHelpText('after', `\nExample:\n  ${TAGTRAIL} database checksums --json > before.json`)
    .action(async (options: { json?: boolean }) => {
      const sums = await withConnections(({ pool }) => inSnapshot(pool, (client) => checksums(client)));
      printResult(
        {
          json: sums,
          text: table(
            ['table', 'rows', 'checksum'],
            sums.map(({ table: name, rows, checksum }) => [name, String(rows), checksum]),
          ).join('\n'),
        },
        options,
      );
    });
}
