import type { ClientBase } from 'pg';

/** True if any session of the server, in any database, holds the advisory lock. */
export async function isHeldAnywhere(client: ClientBase, lock: number): Promise<boolean> {
  const { rows } = await client.query<{ is_held: boolean }>(
    `select exists (
       select from pg_locks
       where locktype = 'advisory' and granted and classid = 0 and objid = $1 and objsubid = 1
     ) as is_held`,
    [lock],
  );
  return rows[0]?.is_held === true;
}
