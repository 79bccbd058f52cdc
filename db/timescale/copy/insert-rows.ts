import type pg from 'pg';

/** Begins a transaction that takes rows unchanged: triggers write no versions and send no notifications. */
export async function beginCopying(client: pg.ClientBase): Promise<void> {
  await client.query('begin');
  await client.query(`set local tagtrail.copying = 'on'`);
}

/** Inserts rows as {@link rowsAsJson} reads them, with the ids they have. */
export async function insertRows(
  client: pg.ClientBase,
  identifier: string,
  rows: readonly string[],
): Promise<void> {
  await client.query(
    `insert into ${identifier} overriding system value
     select * from json_populate_recordset(null::${identifier}, $1::json)`,
    [`[${rows.join(',')}]`],
  );
}

/** Derives tables that are not copied, and commits. */
export async function commitCopied(client: pg.ClientBase): Promise<void> {
  await client.query('select recount_histories()');
  await client.query('commit');
  await client.query('analyze');
}
