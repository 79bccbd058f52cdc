import type { Command } from 'commander';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { deleteOrganization } from '../../../domain/administration/organizations/delete-organization.ts';
import { addCommand, id, printResult } from '../command-line/command-line.ts';
import { forTerminal } from '../command-line/for-terminal.ts';
import { withConnections } from '../connections/database.ts';

export function addOrgDelete(program: Command): void {
  addCommand(program, 'org', 'delete')
    .description(
      'Delete an organization. Its keys, readers and handhelds are refused from the next request on; what was recorded stays in the database.',
    )
    .requiredOption('--org <id>', 'the organization', id)
    .addHelpText('after', `\nExample:\n  ${TAGTRAIL} org delete --org 2`)
    .action(async (options: { org: number; json?: boolean }) => {
      const { id: orgId, name } = await withConnections(({ db, actor }) =>
        deleteOrganization(db, actor, options.org),
      );
      printResult(
        { json: { id: orgId, name }, text: forTerminal(`Organization ${orgId} is deleted: ${name}`) },
        options,
      );
    });
}
