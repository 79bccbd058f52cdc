import { AppError } from '../../../base/errors.ts';
import { table } from '../../../base/table.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { setDisabled } from '../../../domain/administration/users/accounts/set-disabled.ts';
import { removeMembership, setRole } from '../../../domain/administration/users/accounts/set-role.ts';
import { createUser } from '../../../domain/administration/users/create-user.ts';
import { eraseUser } from '../../../domain/administration/users/erasing/erase-user.ts';
import { invite, linkAddress, makeResetLink } from '../../../domain/administration/users/links/make-link.ts';
import { type ListedUser, listUsers } from '../../../domain/administration/users/list-users.ts';
import { organizationsOf } from '../../../domain/administration/users/memberships.ts';
import { ROLES, type Role } from '../../../domain/administration/users/roles.ts';
import type { MadeLink } from '../../../domain/administration/users/stored-link.ts';
import { findUserByEmail, noUser, type UserRow } from '../../../domain/administration/users/stored-user.ts';
import { asStored } from '../../../domain/administration/users/user-fields.ts';
import { CONSOLE_URL } from '../../../platform/runtime/common-settings.ts';
import { readSettings } from '../../../platform/runtime/settings.ts';
import { TLS_SETTINGS } from '../../../platform/runtime/tls-settings.ts';
import { CONSOLE_PORT } from '../../console/config.ts';
import { addCommand, type Command, examples, id, oneOf } from '../command-line/command-line.ts';
import { forTerminal } from '../command-line/for-terminal.ts';
import { listTable } from '../command-line/list-table.ts';
import { withConnections } from '../connections/database.ts';
import { running } from '../running/running.ts';

export function addUser(program: Command): void {
  addUserCreate(program);
  addUserInvite(program);
  addUserList(program);
  addUserRole(program);
  addUserRemove(program);
  addUserDisable(program);
  addUserEnable(program);
  addUserErase(program);
  addUserReset(program);
}

interface CreateOptions {
  email: string;
  name: string;
  org?: number;
  role?: Role;
}

function addUserCreate(program: Command): void {
  addCommand(program, 'user', 'create')
    .description('Create a user of the console, and a link to choose a password.')
    .requiredOption('--email <address>', 'the address to sign in with')
    .requiredOption('--name <name>', 'the name others see, 1 to 255 characters')
    .option('--org <id>', 'an organization to be a member of, with --role', id)
    .option('--role <role>', `the role there: ${ROLES.join(', ')}`, oneOf(...ROLES))
    .addHelpText(...examples("user create --email ann@example.com --name 'Ann Lee' --org 1 --role admin"))
    .prints(async (options: CreateOptions) => {
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
      return { json: { ...user, ...shown.json }, text: shown.text };
    });
}

interface InviteOptions {
  org: number;
  email: string;
  role: Role;
}

function addUserInvite(program: Command): void {
  addCommand(program, 'user', 'invite')
    .description('Make a link that invites a person to an organization. It replaces an earlier one.')
    .requiredOption('--org <id>', 'the organization', id)
    .requiredOption('--email <address>', 'of the person')
    .requiredOption('--role <role>', `the role: ${ROLES.join(', ')}`, oneOf(...ROLES))
    .addHelpText(...examples('user invite --org 1 --email bob@example.com --role viewer'))
    .prints(async (options: InviteOptions) => {
      const { org: orgId, email, role } = options;
      const link = await withConnections(({ db, actor }) => invite(db, actor, { orgId, email, role }));
      const shown = shownLink(link, `An invitation for ${email} as ${role}`);
      return { json: { id: link.id, ...shown.json }, text: shown.text };
    });
}

interface ListOptions {
  org?: number;
}

function addUserList(program: Command): void {
  addCommand(program, 'user', 'list')
    .description('List users of the console, their roles in organizations, and when they were last active.')
    .option('--org <id>', 'only members of this organization', id)
    .addHelpText(...examples('user list --org 1'))
    .prints(async (options: ListOptions) => {
      const users = await withConnections(({ db }) => listUsers(db, options.org ?? null));
      return { json: users, text: textOf(users) };
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

interface RoleOptions {
  org: number;
  email: string;
  role: Role;
}

function addUserRole(program: Command): void {
  addCommand(program, 'user', 'role')
    .description(
      "Make a user a member of an organization, or change the member's role. The password and sessions of " +
        'a new member end, because another organization may have made the account; give the printed link ' +
        'to the person with that address.',
    )
    .requiredOption('--org <id>', 'the organization', id)
    .requiredOption('--email <address>', 'the user')
    .requiredOption('--role <role>', `the role there: ${ROLES.join(', ')}`, oneOf(...ROLES))
    .addHelpText(...examples('user role --org 1 --email bob@example.com --role operator'))
    .prints(async (options: RoleOptions) => {
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
        return { json, text };
      }
      const shown = shownLink(link, `${text}; a link to choose a password`);
      return { json: { ...json, ...shown.json }, text: shown.text };
    });
}

interface RemoveOptions {
  org: number;
  email: string;
}

function addUserRemove(program: Command): void {
  addCommand(program, 'user', 'remove')
    .description("End a user's membership of an organization. The user and other memberships stay.")
    .requiredOption('--org <id>', 'the organization', id)
    .requiredOption('--email <address>', 'the user')
    .addHelpText(...examples('user remove --org 1 --email bob@example.com'))
    .prints(async (options: RemoveOptions) => {
      const { org: orgId, email } = options;
      const removed = await withConnections(async ({ db, actor }) => {
        const { id: userId } = await namedUser(db, email);
        return removeMembership(db, actor, { userId, orgId });
      });
      const text = `User ${removed.email} is no longer a member of organization ${orgId}`;
      return { json: { ...removed, org_id: orgId }, text };
    });
}

function addUserDisable(program: Command): void {
  addCommand(program, 'user', 'disable')
    .description('Keep a user from signing in, and end all sessions. Memberships stay.')
    .requiredOption('--email <address>', 'the user')
    .addHelpText(...examples('user disable --email bob@example.com'))
    .prints(async (options: { email: string }) => {
      const user = await withConnections(async ({ db, actor }) => {
        const { id: userId } = await namedUser(db, options.email);
        return setDisabled(db, actor, { userId, isDisabled: true, orgId: null });
      });
      return { json: user, text: `User ${user.email} is disabled` };
    });
}

function addUserEnable(program: Command): void {
  addCommand(program, 'user', 'enable')
    .description('Let a disabled user sign in again.')
    .requiredOption('--email <address>', 'the user')
    .addHelpText(...examples('user enable --email bob@example.com'))
    .prints(async (options: { email: string }) => {
      const user = await withConnections(async ({ db, actor }) => {
        const { id: userId } = await namedUser(db, options.email);
        return setDisabled(db, actor, { userId, isDisabled: false, orgId: null });
      });
      return { json: user, text: `User ${user.email} is enabled` };
    });
}

interface EraseOptions {
  email: string;
  confirm?: true;
}

function addUserErase(program: Command): void {
  addCommand(program, 'user', 'erase')
    .description(
      "Delete a person for good: the user with memberships, sessions and links. The person's changes stay in the change log under the user's id, without name and addresses. Without --confirm nothing is erased. Backups are not touched.",
    )
    .requiredOption('--email <address>', 'the user')
    .option('--confirm', 'erase it')
    .addHelpText(...examples('user erase --email bob@example.com --confirm'))
    .prints((options: EraseOptions) => (options.confirm === true ? erase(options) : show(options)));
}

async function show(options: EraseOptions) {
  const { user, organizations } = await withConnections(async ({ db }) => {
    const user = await namedUser(db, options.email);
    return { user, organizations: await organizationsOf(db, user.id) };
  });
  const { id, email, name } = user;
  const of = organizations.length === 0 ? 'of no organization' : `member of ${organizations.join(', ')}`;
  const text = `User ${id} is ${email}, ${name}, ${of}. Nothing is erased yet; give --confirm to erase the user`;
  const json = { id, email, name, is_erased: false, organizations };
  return { json, text: forTerminal(text) };
}

async function erase(options: EraseOptions) {
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
  return { json: { id, is_erased: true, deleted, nameless }, text: text.join('\n') };
}

function addUserReset(program: Command): void {
  addCommand(program, 'user', 'reset')
    .description('Make a link to choose a new password. The present password is valid until then.')
    .requiredOption('--email <address>', 'the user')
    .addHelpText(...examples('user reset --email bob@example.com'))
    .prints(async (options: { email: string }) => {
      const { user, link } = await withConnections(async ({ db, actor }) => {
        const user = await namedUser(db, options.email);
        return { user, link: await makeResetLink(db, actor, { userId: user.id, orgId: null }) };
      });
      const shown = shownLink(link, `A link for ${user.email} to choose a new password`);
      return { json: { id: user.id, email: user.email, ...shown.json }, text: shown.text };
    });
}

/** Users are named by e-mail address. @throws AppError `not_found`. */
async function namedUser(db: Connection, email: string): Promise<UserRow> {
  const user = await findUserByEmail(db, asStored(email));
  if (user === null) {
    throw noUser(email);
  }
  return { id: user.id, email: user.email, name: user.name, is_disabled: user.is_disabled };
}

/** A link as a command shows it; `text` names what for. */
function shownLink(
  { token, expires_at }: Pick<MadeLink, 'token' | 'expires_at'>,
  text: string,
): { json: { link: string; expires_at: string }; text: string } {
  const config = readSettings({ CONSOLE_URL, CONSOLE_PORT, ...TLS_SETTINGS }, running().env);
  const scheme = config.TLS_CERT_FILE === null ? 'http' : 'https';
  const link = linkAddress(config.CONSOLE_URL ?? `${scheme}://127.0.0.1:${config.CONSOLE_PORT}`, token);
  return {
    json: { link, expires_at },
    text: `${text}, valid once and until ${expires_at}, shown only now:\n${link}`,
  };
}
