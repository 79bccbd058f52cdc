import type { Command } from 'commander';
import { AppError } from '../../../base/errors.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { createUser } from '../../../domain/administration/users/create-user.ts';
import { makeResetLink } from '../../../domain/administration/users/links/make-link.ts';
import { ROLES, type Role } from '../../../domain/administration/users/roles.ts';
import { addCommand, id, oneOf, printResult } from '../command-line/command-line.ts';
import { shownLink } from '../connections/console.ts';
import { withConnections } from '../connections/database.ts';

interface Options {
  email: string;
  name: string;
  org?: number;
  role?: Role;
  json?: boolean;
}

export function addUserCreate(program: Command): void {
  addCommand(program, 'user', 'create')
    .description('Create a user of the console, and a link by which that person chooses a password.')
    .requiredOption('--email <address>', 'by which the user signs in')
    .requiredOption('--name <name>', 'the name others see, 1 to 255 characters')
    .option('--org <id>', 'an organization to be a member of, with --role', id)
    .option('--role <role>', `what the user may do there: ${ROLES.join(', ')}`, oneOf(...ROLES))
    .addHelpText(
      'after',
      `\nExample:\n  ${TAGTRAIL} user create --email ann@example.com --name 'Ann Lee' --org 1 --role admin`,
    )
    .action(async (options: Options) => {
      const { email, name, org: orgId, role } = options;
      if ((orgId === undefined) !== (role === undefined)) {
        throw new AppError('invalid_input', '--org and --role belong together; give both, or neither');
      }
      const membership = orgId === undefined || role === undefined ? null : { orgId, role };
      const { user, link } = await withConnections(async ({ db, actor }) => {
        const user = await createUser(db, actor, { email, name, membership });
        return { user, link: await makeResetLink(db, actor, { userId: user.id, orgId: null }) };
      });
      const shown = shownLink(link, `User ${user.email}; a link to choose a password`);
      printResult({ json: { ...user, ...shown.json }, text: shown.text }, options);
    });
}
