import type { Command } from 'commander';
import { table } from '../../../base/table.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { eraseUser } from '../../../domain/administration/users/erasing/erase-user.ts';
import { asStored } from '../../../domain/administration/users/given.ts';
import { organizationsOf } from '../../../domain/administration/users/organizations-of.ts';
import { addCommand, printResult } from '../command-line/command-line.ts';
import { forTerminal } from '../command-line/for-terminal.ts';
import { withConnections } from '../connections/database.ts';
import { namedUser } from '../parts/named-user.ts';

interface Options {
  email: string;
  confirm?: true;
  json?: boolean;
}

export function addUserErase(program: Command): void {
  addCommand(program, 'user', 'erase')
    .description(
      'Delete a person for good: the user with memberships, sessions and links. What the person did stays in the change log, by the id of the user, without name and addresses. Without --confirm nothing is erased. Backups are not touched.',
    )
    .requiredOption('--email <address>', 'the user')
    .option('--confirm', 'erase it')
    .addHelpText('after', `\nExample:\n  ${TAGTRAIL} user erase --email bob@example.com --confirm`)
    .action((options: Options) => (options.confirm === true ? erase(options) : show(options)));
}

async function show(options: Options): Promise<void> {
  const { user, organizations } = await withConnections(async ({ db }) => {
    const user = await namedUser(db, options.email);
    return { user, organizations: await organizationsOf(db, user.id) };
  });
  const { id, email, name } = user;
  const of = organizations.length === 0 ? 'of no organization' : `member of ${organizations.join(', ')}`;
  const text = `User ${id} is ${email}, ${name}, ${of}. Nothing is erased yet; give --confirm to erase the user`;
  const json = { id, email, name, is_erased: false, organizations };
  printResult({ json, text: forTerminal(text) }, options);
}

async function erase(options: Options): Promise<void> {
  const erased = await withConnections(async ({ db, actor }) => {
    const { id } = await namedUser(db, options.email);
    return eraseUser(db, actor, id);
  });
  const { id, deleted, nameless } = erased;
  const rows = [
    ...deleted.map(({ name, rows }) => [name, String(rows), '-']),
    ...nameless.map(({ name, rows }) => [name, '-', String(rows)]),
  ];
  const text = [
    ...table(['table', 'deleted', 'made nameless'], rows),
    forTerminal(`User ${id} is erased: ${asStored(options.email)}`),
  ];
  printResult({ json: { id, is_erased: true, deleted, nameless }, text: text.join('\n') }, options);
}
