import type { Command } from 'commander';
import { createHandheld } from '../../../domain/administration/handhelds/create-handheld.ts';
import { addCommand, id, tell } from '../command-line/command-line.ts';
import { withConnections } from '../connections/database.ts';

interface Options {
  org: number;
  name: string;
  json?: boolean;
}

export function addHandheldCreate(program: Command): void {
  addCommand(program, 'handheld', 'create')
    .description('Register a handheld and issue its token. It is shown this once.')
    .requiredOption('--org <id>', 'the organization it scans for', id)
    .requiredOption('--name <name>', 'what people call it, 1 to 255 characters')
    .addHelpText('after', "\nExample:\n  npx --no -- tagtrail handheld create --org 1 --name 'Scanner 1'")
    .action(async (options: Options) => {
      const { org: orgId, name } = options;
      const { id: handheldId, token } = await withConnections(({ db, actor }) =>
        createHandheld(db, actor, { orgId, name }),
      );
      const text = `Handheld ${handheldId}; its token, shown only now:\n${token}`;
      tell({ json: { id: handheldId, token }, text }, options);
    });
}
