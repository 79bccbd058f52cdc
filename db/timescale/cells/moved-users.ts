import type pg from 'pg';
import { AppError } from '../../../base/errors.ts';

interface UserRow {
  id: number;
  email: string;
  row: string;
}

/** People whom rows of the organization name: its members, recipients of its alerts, and who made or got links of it. */
const NAMED = `select user_id from memberships where org_id = $1
  union select user_id from alert_mail_recipients where org_id = $1
  union select user_id from user_links where (org_id = $1 or made_in = $1) and user_id is not null
  union select made_by from user_links where (org_id = $1 or made_in = $1) and made_by is not null`;

async function namedUsers(client: pg.ClientBase, orgId: number): Promise<UserRow[]> {
  const { rows } = await client.query<UserRow>(
    `select id, email, row_to_json(users)::text as row from users where id in (${NAMED}) order by id`,
    [orgId],
  );
  return rows;
}

/** People who have another account at the other cell, by their addresses: one account cannot become the other. */
export async function strangersByAddress(
  from: pg.ClientBase,
  to: pg.ClientBase,
  orgId: number,
): Promise<string[]> {
  const users = await namedUsers(from, orgId);
  const { rows } = await to.query<{ id: number; email: string }>(
    'select id, email from users where id = any($1::integer[]) or email = any($2::text[])',
    [users.map(({ id }) => id), users.map(({ email }) => email)],
  );
  return users
    .filter((user) => rows.some(({ id, email }) => (id === user.id) !== (email === user.email)))
    .map(({ email }) => email);
}

/** @throws AppError `conflict` if one of the organization's people has another account at the other cell, which came later. */
export async function requireNoStrangers(
  from: pg.ClientBase,
  to: pg.ClientBase,
  orgId: number,
): Promise<void> {
  const strangers = await strangersByAddress(from, to, orgId);
  if (strangers.length > 0) {
    throw new AppError(
      'conflict',
      `${strangers.join(', ')}: people with another account at the other cell. Erase these accounts (user erase), and run this again`,
    );
  }
}

/** Users already there keep what they have. Sessions stay behind: people sign in again at the other cell. */
export async function copyUsers(from: pg.ClientBase, to: pg.ClientBase, orgId: number): Promise<void> {
  await requireNoStrangers(from, to, orgId);
  for (const { row } of await namedUsers(from, orgId)) {
    await to.query(
      `insert into users overriding system value select * from json_populate_record(null::users, $1::json)
       on conflict (id) do nothing`,
      [row],
    );
  }
}
