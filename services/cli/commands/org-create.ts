import type { Command } from 'commander';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { createOrganization } from '../../../domain/administration/organizations/create-organization.ts';
import { addCommand, printResult } from '../command-line/command-line.ts';
import { withConnections } from '../connections/database.ts';

export function addOrgCreate(program: Command): void {
  addCommand(program, 'org', 'create')
    .description('Add an organization.')
    .requiredOption('--name <name>', 'its name, 1 to 255 characters')
    .addHelpText('after', `\nExample:\n  ${TAGTRAIL} org create --name 'Acme Logistics'`)
    .action(async (options: { name: string; json?: boolean }) => {
      const { id, name } = await withConnections(({ db, actor }) =>
        createOrganization(db, actor, options.name),
      );
      printResult({ json: { id, name }, text: `Organization ${id}: ${name}` }, options);
    });
}
