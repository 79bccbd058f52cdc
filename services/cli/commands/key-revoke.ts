import type { Command } from 'commander';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { revokeKey } from '../../../domain/administration/api-keys/revoke-key.ts';
import { addCommand, printResult } from '../command-line/command-line.ts';
import { withConnections } from '../connections/database.ts';

export function addKeyRevoke(program: Command): void {
  addCommand(program, 'key', 'revoke')
    .description('Revoke an API key. Every process refuses it from the next request on.')
    .requiredOption('--id <id>', 'the id of the key, the part between tt_ and the next _')
    .addHelpText('after', `\nExample:\n  ${TAGTRAIL} key revoke --id 01KQSA8N2V6T4W8XJY3ZB5D7FH`)
    .action(async (options: { id: string; json?: boolean }) => {
      const revoked = await withConnections(({ db, actor }) => revokeKey(db, actor, options.id));
      printResult(
        { json: revoked, text: `Key ${revoked.id} is revoked since ${revoked.revoked_at}` },
        options,
      );
    });
}
