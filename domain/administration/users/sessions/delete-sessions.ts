import { NO_ROWS, sql } from '../../../../db/timescale/queries/sql.ts';
import type { Change } from '../../../changes/make-change.ts';

/** Ends a user's sessions. @param exceptId the one to keep; null for none. */
export async function deleteSessions(
  change: Change,
  userId: number,
  exceptId: number | null,
): Promise<number> {
  return change.exec(sql.prepared('delete-sessions-of-user', NO_ROWS)`
    delete from sessions where user_id = ${userId} and id is distinct from ${exceptId}::bigint`);
}
