import { heardEverywhere } from '../../../../base/heard-everywhere.ts';
import type { Database } from '../../../../db/timescale/connections/database.ts';
import { NO_ROWS, sql } from '../../../../db/timescale/queries/sql.ts';
import type { Actor } from '../../../changes/actor.ts';
import { type Change, changed, makeChange } from '../../../changes/make-change.ts';
import { keepAdministrator } from '../keep-administrator.ts';
import { forEach, organizationsOf } from '../memberships.ts';
import { lockUser } from '../stored-user.ts';

export interface ErasedUser {
  id: number;
  deleted: TableRows[];
  /** Rows that stay, without what names the person. */
  nameless: TableRows[];
}

/**
 * Deletes a person for good. The change log keeps the entries under the user's id, which is never reused: an
 * organization must be able to tell what was done, and that one person did it.
 *
 * @throws AppError `not_found`, `conflict` (last administrator).
 */
export async function eraseUser(db: Database, actor: Actor, userId: number): Promise<ErasedUser> {
  const erased = await makeChange(db, actor, async (change) => {
    const user = await lockUser(change, userId);
    const organizations = await organizationsOf(change, userId);
    for (const orgId of organizations) {
      await keepAdministrator(change, orgId, user, 'be erased');
    }
    const nameless = await makeNameless(change, user);
    const deleted = await deleteRowsOf(change, user);
    return changed(
      { id: userId, deleted, nameless },
      forEach(organizations, {
        action: 'erase',
        resource: { type: 'user', id: userId },
        before: null,
        after: null,
      }),
    );
  });
  await heardEverywhere();
  return erased;
}

/**
 * Makes nameless what stays of a person: entries of the change log lose address, name and sign-in address; rules lose
 * the recipient; alerts lose who acknowledged them.
 */
async function makeNameless(change: Change, user: { id: number; email: string }): Promise<TableRows[]> {
  // The log refuses changes otherwise.
  await change.exec(sql.type(NO_ROWS)`select set_config('tagtrail.retention', 'on', true)`);
  return [
    // Before the log: it says which alerts they are.
    { name: 'alerts', rows: await forgetInAlerts(change, user.id) },
    { name: 'rules', rows: await forgetInRules(change, user.email) },
    {
      name: 'changes',
      rows: (await forgetAccount(change, user)) + (await forgetInLogOfRules(change, user.email)),
    },
  ];
}

function forgetInAlerts(change: Change, userId: number): Promise<number> {
  return change.exec(sql.type(NO_ROWS)`
    update alerts alert set acknowledged_by = null
    from changes logged
    where logged.actor_type = 'user' and logged.actor_id = ${String(userId)}
      and logged.resource_type = 'alert' and logged.action = 'acknowledge'
      and alert.org_id = logged.org_id and alert.id = logged.resource_id
      -- It may have been opened again, and somebody else taken notice since.
      and not exists (
        select from changes later
        where later.org_id = logged.org_id and later.resource_type = 'alert' and later.resource_id = logged.resource_id
          and later.action = 'acknowledge' and later.id > logged.id)`);
}

function forgetInRules(change: Change, email: string): Promise<number> {
  return change.exec(sql.type(NO_ROWS)`
    update rules set mail_to = array_remove(mail_to, ${email}) where mail_to @> array[${email}]`);
}

/** Deletes the person's user, memberships and sessions, and links to the address. */
function forgetAccount(change: Change, { id, email }: { id: number; email: string }): Promise<number> {
  return change.exec(sql.type(NO_ROWS)`
    update changes set external_key = null, before = (before::jsonb - named.fields)::json,
      after = (after::jsonb - named.fields)::json
    from (select array['address', 'email', 'issuer', 'name', 'subject'] as fields) named
    where resource_type in ('user', 'membership') and resource_id = ${String(id)}
      or resource_type in ('link', 'session') and external_key = ${email}`);
}

function forgetInLogOfRules(change: Change, email: string): Promise<number> {
  const recipients = (column: 'before' | 'after') =>
    sql.fragment`(${sql.identifier([column])}::jsonb -> 'mail_to')`;
  const without = (column: 'before' | 'after') => sql.fragment`
    ${sql.identifier([column])} = case when ${recipients(column)} ? ${email}
      then jsonb_set(${sql.identifier([column])}::jsonb, '{mail_to}', ${recipients(column)} - ${email}::text)::json
      else ${sql.identifier([column])} end`;
  return change.exec(sql.type(NO_ROWS)`
    update changes set ${without('before')}, ${without('after')}
    where resource_type = 'rule' and (${recipients('before')} ? ${email} or ${recipients('after')} ? ${email})`);
}

interface TableRows {
  name: string;
  rows: number;
}

/** Deletes all rows of the person, the user last. */
async function deleteRowsOf(
  change: Change,
  { id, email }: { id: number; email: string },
): Promise<TableRows[]> {
  const statements = {
    alert_mail_recipients: sql.fragment`alert_mail_recipients where user_id = ${id}`,
    memberships: sql.fragment`memberships where user_id = ${id}`,
    sessions: sql.fragment`sessions where user_id = ${id}`,
    known_devices: sql.fragment`known_devices where user_id = ${id}`,
    user_links: sql.fragment`user_links where user_id = ${id} or made_by = ${id} or email = ${email}`,
    refused_sign_ins: sql.fragment`refused_sign_ins where kind = 'user' and name = ${String(id)}`,
    users: sql.fragment`users where id = ${id}`,
  };
  const deleted: TableRows[] = [];
  for (const [name, rows] of Object.entries(statements)) {
    deleted.push({ name, rows: await change.exec(sql.type(NO_ROWS)`delete from ${rows}`) });
  }
  return deleted;
}
