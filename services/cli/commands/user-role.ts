import type { Command } from 'commander';
import { ROLES, type Role } from '../../../domain/administration/users/roles.ts';
import { setRole } from '../../../domain/administration/users/set-role.ts';
import { addCommand, id, oneOf, printResult } from '../command-line/command-line.ts';
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
    .description('Make a user a member of an organization, or change what the member may do there.')
    .requiredOption('--org <id>', 'the organization', id)
    .requiredOption('--email <address>', 'the user')
    .requiredOption('--role <role>', `what the user may do there: ${ROLES.join(', ')}`, oneOf(...ROLES))
    .addHelpText(
      'after',
      '\nExample:\n  npx --no -- tagtrail user role --org 1 --email bob@example.com --role operator',
    )
    .action(async (options: Options) => {
      const { org: orgId, email, role } = options;
      const member = await withConnections(async ({ db, actor }) => {
        const { id: userId } = await namedUser(db, email);
        return setRole(db, actor, { userId, orgId, role, mayJoin: true });
      });
      const text = `User ${member.email} is ${role} of organization ${orgId}`;
      printResult({ json: { ...member, org_id: orgId }, text }, options);
    });
}
