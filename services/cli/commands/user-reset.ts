import type { Command } from 'commander';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { makeResetLink } from '../../../domain/administration/users/links/make-link.ts';
import { addCommand, printResult } from '../command-line/command-line.ts';
import { shownLink } from '../connections/console.ts';
import { withConnections } from '../connections/database.ts';
import { namedUser } from '../parts/named-user.ts';

export function addUserReset(program: Command): void {
  addCommand(program, 'user', 'reset')
    .description('Make a link by which a user chooses a new password. The one there is holds until then.')
    .requiredOption('--email <address>', 'the user')
    .addHelpText('after', `\nExample:\n  ${TAGTRAIL} user reset --email bob@example.com`)
    .action(async (options: { email: string; json?: boolean }) => {
      const { user, link } = await withConnections(async ({ db, actor }) => {
        const user = await namedUser(db, options.email);
        return { user, link: await makeResetLink(db, actor, { userId: user.id, orgId: null }) };
      });
      const shown = shownLink(link, `A link for ${user.email} to choose a new password`);
      printResult({ json: { id: user.id, email: user.email, ...shown.json }, text: shown.text }, options);
    });
}
