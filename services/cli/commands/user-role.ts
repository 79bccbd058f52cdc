import type { Command } from 'commander';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { setRole } from '../../../domain/administration/users/accounts/set-role.ts';
import { makeResetLink } from '../../../domain/administration/users/links/make-link.ts';
import { ROLES, type Role } from '../../../domain/administration/users/roles.ts';
import { addCommand, id, oneOf, printResult } from '../command-line/command-line.ts';
import { shownLink } from '../connections/console.ts';
import { withConnections } from '../connections/database.ts';
import { namedUser } from '../parts/named-user.ts';

interface Options {
  org: number;
  email: string;
  role: Role;
  json?: boolean;
}

export function addUserRole(program: Command): void {
  addCommand(program, 'user', 'role')
    .description(
      'Make a user a member of an organization, or change what the member may do there. The password and sessions of ' +
        'somebody who becomes a member end, as another organization may have made the account; give the link that is ' +
        'printed to the person with the address.',
    )
    .requiredOption('--org <id>', 'the organization', id)
    .requiredOption('--email <address>', 'the user')
    .requiredOption('--role <role>', `what the user may do there: ${ROLES.join(', ')}`, oneOf(...ROLES))
    .addHelpText(
      'after',
      `\nExample:\n  ${TAGTRAIL} user role --org 1 --email bob@example.com --role operator`,
    )
    .action(async (options: Options) => {
      const { org: orgId, email, role } = options;
      const { member, link } = await withConnections(async ({ db, actor }) => {
        const { id: userId } = await namedUser(db, email);
        const { needsPassword, ...member } = await setRole(db, actor, { userId, orgId, role, mayJoin: true });
        return {
          member,
          link: needsPassword ? await makeResetLink(db, actor, { userId, orgId: null }) : null,
        };
      });
      const text = `User ${member.email} is ${role} of organization ${orgId}`;
      const json = { ...member, org_id: orgId };
      if (link === null) {
        printResult({ json, text }, options);
        return;
      }
      const shown = shownLink(link, `${text}; a link to choose a password`);
      printResult({ json: { ...json, ...shown.json }, text: shown.text }, options);
    });
}
