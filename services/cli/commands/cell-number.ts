import { type Command, InvalidArgumentError } from 'commander';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { MOST_CELLS, numberCell } from '../../../db/timescale/cells/number-cell.ts';
import { addCommand, printResult } from '../command-line/command-line.ts';
import { withMigratedOwnerUrl } from '../connections/database.ts';

export function addCellNumber(program: Command): void {
  addCommand(program, 'cell', 'number')
    .description(
      'Number this cell, so that no other draws its ids of organizations, people, readers, handhelds and webhooks. An installation that is in use becomes cell 1; others are numbered before anything is made in them.',
    )
    .requiredOption('--set <number>', `1 to ${MOST_CELLS}`, number)
    .addHelpText('after', `\nExample:\n  ${TAGTRAIL} cell number --set 2`)
    .action(async ({ set, json }: { set: number; json?: boolean }) => {
      await withMigratedOwnerUrl((url) => numberCell(url, set));
      printResult({ json: { cell: set }, text: `This is cell ${set}` }, json === undefined ? {} : { json });
    });
}

function number(text: string): number {
  const value = Number(text);
  if (!/^\d{1,3}$/.test(text) || value < 1 || value > MOST_CELLS) {
    throw new InvalidArgumentError(`Give a number from 1 to ${MOST_CELLS}.`);
  }
  return value;
}
