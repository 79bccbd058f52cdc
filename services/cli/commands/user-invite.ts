import type { Command } from 'commander';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { invite } from '../../../domain/administration/users/links/make-link.ts';
import { ROLES, type Role } from '../../../domain/administration/users/roles.ts';
import { addCommand, id, oneOf, printResult } from '../command-line/command-line.ts';
import { shownLink } from '../connections/console.ts';
import { withConnections } from '../connections/database.ts';

interface Options {
  org: number;
  email: string;
  role: Role;
  json?: boolean;
}

export function addUserInvite(program: Command): void {
  addCommand(program, 'user', 'invite')
    .description('Make a link by which a person becomes a member of an organization. An earlier one ends.')
    .requiredOption('--org <id>', 'the organization', id)
    .requiredOption('--email <address>', 'of the person')
    .requiredOption('--role <role>', `what the member may do: ${ROLES.join(', ')}`, oneOf(...ROLES))
    .addHelpText(
      'after',
      `\nExample:\n  ${TAGTRAIL} user invite --org 1 --email bob@example.com --role viewer`,
    )
    .action(async (options: Options) => {
      const { org: orgId, email, role } = options;
      const link = await withConnections(({ db, actor }) => invite(db, actor, { orgId, email, role }));
      const shown = shownLink(link, `An invitation for ${email} as ${role}`);
      printResult({ json: { id: link.id, ...shown.json }, text: shown.text }, options);
    });
}
