import type { Pool, PoolClient } from '../connections/client.ts';
import { inTransaction } from '../connections/transaction.ts';

/**
 * Deletes the users who are, or were until they were removed, members of this organization and of no other one, with their
 * sessions, links, and what the log of the installation has of them; of others the membership.
 *
 * @returns how many users are deleted.
 */
export function eraseMembers(pool: Pool, orgId: number): Promise<number> {
  return inTransaction(pool, async (client) => {
    const users = await membersOfNoOther(client, orgId);
    await eraseLogged(client, users);
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

async function membersOfNoOther(client: PoolClient, orgId: number): Promise<number[]> {
  const { rows } = await client.query<{ users: number[] }>(
    `with own as materialized (
       select user_id from memberships where org_id = $1
       union
       select id from users where id::text = any(array(
         select resource_id from changes where org_id = $1 and resource_type = 'membership'
       ))
     )
     select array(
       select user_id from own
       except
       select user_id from memberships where org_id <> $1
       except
       select resource_id::integer from changes
       where org_id <> $1 and resource_type = 'membership' and resource_id = any(array(select user_id::text from own))
     ) as users`,
    [orgId],
  );
  return rows[0]?.users ?? [];
}

/** Log entries from a time when they belonged to no organization, or to a deleted one: with addresses. */
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
