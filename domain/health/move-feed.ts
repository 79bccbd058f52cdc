import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { type Finding, fault, isOf, ok, warning } from './finding.ts';

/** Seconds that an event may wait to be sealed; most take less than a tenth. */
const LATE = 10;

/** Rows counted. */
const MANY = 10_000;

/** Organizations named one by one. */
const MOST_NAMED = 10;

/** Checks whether the move feed advances. */
export async function examineMoveFeed(db: Connection): Promise<Finding[]> {
  const setAside = await examineSetAside(db);
  const rest = await examineSealing(db);
  return setAside.length > 0 && rest.status === 'ok' ? setAside : [...setAside, rest];
}

/** Names organizations whose events wait because one of them cannot be sealed. */
export async function examineSetAside(db: Connection, orgId: number | null = null): Promise<Finding[]> {
  const rows = await db.any(sql.type(
    rowsOf<{
      org_id: number;
      name: string | null;
      move_id: number | null;
      reason: string;
      waiting: number;
    }>(),
  )`
    select fault.org_id, organization.name, fault.move_id, fault.reason, (
      select count(*) from (
        select from unsealed_moves where org_id = fault.org_id limit ${MANY}
      ) row) as waiting
    from sealing_faults fault
    left join organizations organization on organization.id = fault.org_id
    where ${isOf(sql.fragment`fault.org_id`, orgId)}
    order by fault.since limit ${MOST_NAMED}`);
  return rows.map(({ org_id: orgId, name, move_id: moveId, reason, waiting }) =>
    fault(
      'move feed',
      `Organization ${orgId} (${name ?? 'unknown'}): event ${moveId ?? '?'} cannot be sealed (${reason}), so ${atLeast(waiting)} wait and reach nobody; other organizations are not affected`,
      `Report this with the output of: select * from unsealed_moves where org_id = ${orgId} and id = ${moveId ?? '...'}; once the row is mended, all are sealed within seconds`,
    ),
  );
}

export async function examineSealing(db: Connection): Promise<Finding> {
  const { unsealed, age } = await db.one(sql.type(rowsOf<Figures>())`
    select count(*) as unsealed,
      coalesce(extract(epoch from clock_timestamp() - min(recorded_at)), 0)::float8 as age
    from (
      select recorded_at from (
        select org_id, recorded_at from unsealed_moves union all select org_id, recorded_at from unsealed_changes
      ) unsealed
      where org_id not in (select org_id from sealing_faults)
      limit ${MANY}
    ) waiting`);
  if (age > LATE) {
    return warning(
      'move feed',
      `${atLeast(unsealed)} events wait to be sealed, the first for ${Math.round(age)} s: they are recorded, but reach nobody`,
      'Start a worker, which seals; if one runs, its log says why it does not',
    );
  }
  return ok('move feed', 'Moves can be read there at once');
}

interface Figures {
  unsealed: number;
  age: number;
}

function atLeast(count: number): string {
  return count === MANY ? `${MANY} or more` : String(count);
}
