import type { Command } from 'commander';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { giveUpMove } from '../../../db/timescale/cells/move.ts';
import { addCommand, id, printResult } from '../command-line/command-line.ts';
import { withMigratedOwnerUrl } from '../connections/database.ts';
import { requireOtherDatabase } from '../parts/other-database.ts';

interface Options {
  org: number;
  to: string;
  json?: boolean;
}

export function addCellGiveUp(program: Command): void {
  addCommand(program, 'cell', 'give-up')
    .description(
      'Give up a move of an organization that was interrupted before its switch: nothing of it is left at the other cell, and here it is in use as before. After the switch it can only be completed.',
    )
    .requiredOption('--org <id>', 'the organization', id)
    .requiredOption('--to <url>', 'the database of the cell that it was to move to')
    .addHelpText(
      'after',
      `\nExample:\n  ${TAGTRAIL} cell give-up --org 2 --to postgres://tagtrail@db-2:5432/tagtrail`,
    )
    .action(async (options: Options) => {
      const { org: orgId } = options;
      const to = await requireOtherDatabase(options.to);
      await withMigratedOwnerUrl((from) => giveUpMove({ from, to, orgId }));
      printResult({ json: { id: orgId }, text: `Organization ${orgId} stays here` }, options);
    });
}
