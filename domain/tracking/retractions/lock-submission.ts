import { ORGANIZATION_LOCKS } from '../../../db/timescale/connections/advisory-locks.ts';
import { NO_ROWS, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';

/**
 * One at a time records a submission or takes scans of it back, until this transaction ends. So either the retraction
 * finds the submission's scans, or the submission finds the retraction; taken before everything else that is locked.
 */
export async function lockSubmission(
  db: Connection,
  { orgId, submissionId }: { orgId: number; submissionId: string },
): Promise<void> {
  await db.exec(sql.prepared('lock-submission', NO_ROWS)`
    select pg_advisory_xact_lock(hashtextextended(
      concat_ws(':', ${String(ORGANIZATION_LOCKS.submissions)}::text, ${orgId}::integer, ${submissionId}::text), 0))`);
}
