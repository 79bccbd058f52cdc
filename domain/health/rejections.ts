import { TAGTRAIL } from '../../base/typed-command.ts';
import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { type Finding, isOf, ok, warning } from './finding.ts';

export async function examineRejections(db: Connection, orgId: number | null = null): Promise<Finding> {
  const { count, strangers } = await db.one(sql.type(rowsOf<{ count: number; strangers: number }>())`
    select count(*) as count, count(*) filter (where reader_id is null and org_id is null) as strangers
    from rejected_messages where ${isOf(sql.fragment`org_id`, orgId)} and kind = 'rejected' and replayed_at is null and dismissed_at is null and received_at > now() - interval '7 days'`);
  if (count === 0) {
    return ok('rejected messages', 'None in a week, except replayed ones');
  }
  const ofStrangers = strangers === 0 ? '' : `, ${strangers} of them on topics that no reader has`;
  return warning(
    'rejected messages',
    `${count} in a week${ofStrangers}`,
    `${TAGTRAIL} rejected list says why; mend the cause, then ${TAGTRAIL} rejected replay, or rejected dismiss`,
    { what: 'empty_inbox', id: null },
  );
}
