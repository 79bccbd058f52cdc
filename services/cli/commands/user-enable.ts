import type { Command } from 'commander';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { setDisabled } from '../../../domain/administration/users/accounts/set-disabled.ts';
import { addCommand, printResult } from '../command-line/command-line.ts';
import { withConnections } from '../connections/database.ts';
import { namedUser } from '../parts/named-user.ts';

export function addUserEnable(program: Command): void {
  addCommand(program, 'user', 'enable')
    .description('Let a disabled user sign in again.')
    .requiredOption('--email <address>', 'the user')
    .addHelpText('after', `\nExample:\n  ${TAGTRAIL} user enable --email bob@example.com`)
    .action(async (options: { email: string; json?: boolean }) => {
      const user = await withConnections(async ({ db, actor }) => {
        const { id: userId } = await namedUser(db, options.email);
        return setDisabled(db, actor, { userId, isDisabled: false, orgId: null });
      });
      printResult({ json: user, text: `User ${user.email} is enabled` }, options);
    });
}
