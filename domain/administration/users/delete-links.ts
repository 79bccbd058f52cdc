import { NO_ROWS, sql } from '../../../db/timescale/queries/sql.ts';
import type { Change } from '../../changes/make-change.ts';

/** Unused links that would sign in as the user. */
export async function deleteLinksOf(change: Change, userId: number): Promise<void> {
  await change.exec(sql.prepared('delete-links-of-user', NO_ROWS)`
    delete from user_links where user_id = ${userId} and used_at is null`);
}
