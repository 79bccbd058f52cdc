import type { Command } from 'commander';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { revokeHandheld } from '../../../domain/administration/handhelds/revoke-handheld.ts';
import { addCommand, id, printResult } from '../command-line/command-line.ts';
import { withConnections } from '../connections/database.ts';

interface Options {
  id: number;
  json?: boolean;
}

export function addHandheldRevoke(program: Command): void {
  addCommand(program, 'handheld', 'revoke')
    .description("End a handheld's token, from its next request on.")
    .requiredOption('--id <id>', 'the handheld', id)
    .addHelpText('after', `\nExample:\n  ${TAGTRAIL} handheld revoke --id 3`)
    .action(async (options: Options) => {
      const revoked = await withConnections(({ db, actor }) => revokeHandheld(db, actor, options.id));
      printResult(
        { json: revoked, text: `Handheld ${revoked.id} is revoked since ${revoked.revoked_at}` },
        options,
      );
    });
}
