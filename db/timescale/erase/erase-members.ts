import type { Pool } from '../connections/client.ts';
import { inTransaction } from '../connections/transaction.ts';

/**
 * Deletes the users who are members of this organization only, with their sessions and links; of others the membership.
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
    await client.query('delete from alert_mail_recipients where org_id = $1', [orgId]);
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
