import type { Command } from 'commander';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { listOrganizations } from '../../../domain/administration/organizations/list-organizations.ts';
import { addCommand, printResult } from '../command-line/command-line.ts';
import { listTable } from '../command-line/list-table.ts';
import { withConnections } from '../connections/database.ts';

export function addOrgList(program: Command): void {
  addCommand(program, 'org', 'list')
    .description('List the organizations.')
    .addHelpText('after', `\nExample:\n  ${TAGTRAIL} org list --json`)
    .action(async (options: { json?: boolean }) => {
      const organizations = await withConnections(({ db }) => listOrganizations(db));
      printResult(
        {
          json: organizations.map(({ id, name }) => ({ id, name })),
          text: listTable(
            ['id', 'name'],
            organizations.map(({ id, name }) => [String(id), name]),
          ).join('\n'),
        },
        options,
      );
    });
}
