import type { Command } from 'commander';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { renameOrganization } from '../../../domain/administration/organizations/rename-organization.ts';
import { addCommand, id, printResult } from '../command-line/command-line.ts';
import { forTerminal } from '../command-line/for-terminal.ts';
import { withConnections } from '../connections/database.ts';

export function addOrgRename(program: Command): void {
  addCommand(program, 'org', 'rename')
    .description('Call an organization something else. Its id stays.')
    .requiredOption('--org <id>', 'the organization', id)
    .requiredOption('--name <name>', 'what people call it, 1 to 255 characters')
    .addHelpText('after', `\nExample:\n  ${TAGTRAIL} org rename --org 2 --name 'Acme Europe'`)
    .action(async (options: { org: number; name: string; json?: boolean }) => {
      const { id: orgId, name } = await withConnections(({ db, actor }) =>
        renameOrganization(db, actor, { id: options.org, name: options.name }),
      );
      printResult(
        { json: { id: orgId, name }, text: forTerminal(`Organization ${orgId} is now ${name}`) },
        options,
      );
    });
}
