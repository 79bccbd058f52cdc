import type { Command } from 'commander';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { type ListedUser, listUsers } from '../../../domain/administration/users/list-users.ts';
import { addCommand, id, printResult } from '../command-line/command-line.ts';
import { listTable } from '../command-line/list-table.ts';
import { withConnections } from '../connections/database.ts';

interface Options {
  org?: number;
  json?: boolean;
}

export function addUserList(program: Command): void {
  addCommand(program, 'user', 'list')
    .description(
      'List users of the console, what they may do in which organization, and when they were last there.',
    )
    .option('--org <id>', 'only members of this organization', id)
    .addHelpText('after', `\nExample:\n  ${TAGTRAIL} user list --org 1`)
    .action(async (options: Options) => {
      const users = await withConnections(({ db }) => listUsers(db, options.org ?? null));
      printResult({ json: users, text: textOf(users) }, options);
    });
}

function textOf(users: readonly ListedUser[]): string {
  if (users.length === 0) {
    return 'There are no users.';
  }
  return listTable(
    ['id', 'e-mail', 'name', 'org: role', 'state', 'last used'],
    users.map((user) => [
      String(user.id),
      user.email,
      user.name,
      user.memberships.map(({ org_id, role }) => `${org_id}: ${role}`).join(', ') || '-',
      stateOf(user),
      user.last_used_at ?? '-',
    ]),
  ).join('\n');
}

function stateOf({ is_disabled: isDisabled, has_password: hasPassword }: ListedUser): string {
  if (isDisabled) {
    return 'disabled';
  }
  return hasPassword ? 'enabled' : 'no password';
}
