import type { Command } from 'commander';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { renameHandheld } from '../../../domain/administration/handhelds/rename-handheld.ts';
import { addCommand, id, printResult } from '../command-line/command-line.ts';
import { forTerminal } from '../command-line/for-terminal.ts';
import { withConnections } from '../connections/database.ts';

interface Options {
  id: number;
  name: string;
  json?: boolean;
}

export function addHandheldRename(program: Command): void {
  addCommand(program, 'handheld', 'rename')
    .description('Call a handheld something else. Its token stays good.')
    .requiredOption('--id <id>', 'the handheld', id)
    .requiredOption('--name <name>', 'what people call it, 1 to 255 characters')
    .addHelpText('after', `\nExample:\n  ${TAGTRAIL} handheld rename --id 3 --name 'Scanner 3'`)
    .action(async (options: Options) => {
      const { id: handheldId, name } = options;
      await withConnections(({ db, actor }) =>
        renameHandheld(db, actor, { orgId: null, id: handheldId, name }),
      );
      printResult(
        { json: { id: handheldId, name }, text: forTerminal(`Handheld ${handheldId} is now ${name}`) },
        options,
      );
    });
}
