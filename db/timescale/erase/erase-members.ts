import type { Pool, PoolClient } from '../connections/client.ts';
import { inTransaction } from '../connections/transaction.ts';

/**
 * Deletes the users who are members of this organization only, with their sessions, links, and what the log of the
 * installation has of them; of others the membership.
 *
 * @returns how many users are deleted.
 */
export function eraseMembers(pool: Pool, orgId: number): Promise<number> {
  return inTransaction(pool, async (client) => {
    const { rows } = await client.query<{ users: number[] }>(
      `select array(
         select user_id from memberships where org_id = $1
         except
         select user_id from memberships where org_id <> $1
       ) as users`,
      [orgId],
    );
    const users = rows[0]?.users ?? [];
    await eraseLogged(client, users);
    // Who leaves an organization stays a recipient there, to whom nothing is sent.
    await client.query(
      'delete from alert_mail_recipients where org_id = $1 or user_id = any($2::integer[])',
      [orgId, users],
    );
    await client.query('delete from memberships where org_id = $1', [orgId]);
    await client.query('delete from sessions where user_id = any($1::integer[])', [users]);
    await client.query('delete from known_devices where user_id = any($1::integer[])', [users]);
    await client.query(
      'delete from user_links where user_id = any($1::integer[]) or made_by = any($1::integer[])',
      [users],
    );
    await client.query('delete from users where id = any($1::integer[])', [users]);
    return users.length;
  });
}

/** What was logged of them while they belonged to no organization, or to one that was deleted: with addresses. */
async function eraseLogged(client: PoolClient, users: readonly number[]): Promise<void> {
  await client.query(`select set_config('tagtrail.retention', 'on', true)`);
  await client.query(
    `delete from changes
     where org_id is null and (
       resource_type = 'user' and resource_id = any($1::integer[]::text[])
       or resource_type in ('link', 'session')
         and external_key = any(array(select email from users where id = any($1::integer[])))
     )`,
    [users],
  );
}
