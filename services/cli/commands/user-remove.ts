import type { Command } from 'commander';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { removeMembership } from '../../../domain/administration/users/accounts/set-role.ts';
import { addCommand, id, printResult } from '../command-line/command-line.ts';
import { withConnections } from '../connections/database.ts';
import { namedUser } from '../parts/named-user.ts';

interface Options {
  org: number;
  email: string;
  json?: boolean;
}

export function addUserRemove(program: Command): void {
  addCommand(program, 'user', 'remove')
    .description('End the membership of a user in an organization. The user stays, as do other memberships.')
    .requiredOption('--org <id>', 'the organization', id)
    .requiredOption('--email <address>', 'the user')
    .addHelpText('after', `\nExample:\n  ${TAGTRAIL} user remove --org 1 --email bob@example.com`)
    .action(async (options: Options) => {
      const { org: orgId, email } = options;
      const removed = await withConnections(async ({ db, actor }) => {
        const { id: userId } = await namedUser(db, email);
        return removeMembership(db, actor, { userId, orgId });
      });
      const text = `User ${removed.email} is no member of organization ${orgId} any more`;
      printResult({ json: { ...removed, org_id: orgId }, text }, options);
    });
}
