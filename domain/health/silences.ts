import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { type Finding, fault, isOf } from './finding.ts';

/** Organizations named one by one. */
const MOST_NAMED = 10;

/** Names organizations whose silent readers are unknown because deriving them fails. */
export async function examineSilences(db: Connection, orgId: number | null = null): Promise<Finding[]> {
  const rows = await db.any(sql.type(
    rowsOf<{ org_id: number; name: string | null; reason: string; minutes: number }>(),
  )`
    select fault.org_id, organization.name, fault.reason,
      floor(extract(epoch from clock_timestamp() - fault.since) / 60)::integer as minutes
    from silence_faults fault
    left join organizations organization on organization.id = fault.org_id
    where ${isOf(sql.fragment`fault.org_id`, orgId)}
    order by fault.since, fault.org_id limit ${MOST_NAMED}`);
  return rows.map(({ org_id: id, name, reason, minutes }) =>
    fault(
      'readers',
      `Organization ${id} (${name ?? 'unknown'}): for ${minutes} minutes silences of its readers could not be derived (${reason}); other organizations are not affected`,
      'Report this with the log of the worker; it is retried at least every five minutes, and missing silences follow',
    ),
  );
}
