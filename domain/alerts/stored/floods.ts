import { encodeTime } from 'ulid';
import type { Micros } from '../../../base/instant.ts';
import { isHere } from '../../../db/timescale/queries/is-here.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { MOST_RAISED, type Raised, Room } from './room.ts';

const HOUR_MS = 3_600_000;

/** Up to this many in all, no rule is refused any. */
const FEW = MOST_RAISED / 2;

/**
 * Room for alerts now, counted by the time in their ids, which an index has; ids far in the future were made before the
 * clock was set back. Null if there is room for all wanted alerts, which the index alone tells.
 */
export async function roomFor(db: Connection, orgId: number, wanted: number): Promise<Room | null> {
  const [first, end] = [firstId(Date.now() - HOUR_MS), firstId(Date.now() + HOUR_MS)];
  const latest = sql.fragment`org_id = ${orgId} and id >= ${first} and id < ${end}`;
  const { raised } = await db.one(sql.prepared('count-raised-alerts', rowsOf<{ raised: number }>())`
    select count(*) as raised from (select from alerts where ${latest} limit ${FEW}::integer) latest`);
  if (raised + wanted <= FEW) {
    return null;
  }
  const rows = await db.any(sql.prepared(
    'count-raised-alerts-by-rule',
    rowsOf<Raised & { rule_id: string }>(),
  )`
    select rule_id, count(*) filter (where not is_over) as holding, count(*) filter (where is_over) as over
    from (select rule_id, coalesce(closed_at < recorded_at, false) as is_over from alerts where ${latest}) latest
    group by rule_id`);
  return new Room(new Map(rows.map(({ rule_id: ruleId, ...counts }) => [ruleId, counts])));
}

/** No id that is made then, or later, sorts before it. */
function firstId(at: number): string {
  return `${encodeTime(Math.max(0, at), 10)}${'0'.repeat(16)}`;
}

/** Notes that alerts of rules were not raised. */
export async function noteFlood(
  db: Connection,
  orgId: number,
  ruleIds: readonly string[],
  since: Micros,
): Promise<void> {
  await db.exec(sql.prepared('note-alert-flood', NO_ROWS)`
    insert into alert_floods as noted (org_id, rule_ids, since, until)
    values (${orgId}, ${sql.array(ruleIds, 'text')}, time_of_micros(${since}::bigint),
      clock_timestamp() + interval '1 hour')
    on conflict (org_id) do update set since = least(noted.since, excluded.since),
      rule_ids = array(select distinct unnest(noted.rule_ids || excluded.rule_ids) as id order by id)`);
}

/** Has organizations derived again that may raise alerts again; also if the database's clock was set back since. */
export async function endFloods(db: Connection): Promise<void> {
  await db.exec(sql.prepared('end-alert-floods', NO_ROWS)`
    with ended as (
      delete from alert_floods flood
      where until not between clock_timestamp() and clock_timestamp() + interval '1 hour'
        and ${isHere(sql.fragment`flood.org_id`)}
      returning org_id, since
    )
    insert into alert_revisions (org_id, subject, since) select org_id, 'organization', since from ended`);
}
