import { NO_ROWS, sql } from '../../../../db/timescale/queries/sql.ts';
import type { Change } from '../../../changes/make-change.ts';

export interface TableRows {
  name: string;
  rows: number;
}

/** Everything that is there because of the person, and the user at last. */
export async function deleteRowsOf(
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
