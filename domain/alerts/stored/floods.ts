import { encodeTime } from 'ulid';
import type { Micros } from '../../../base/instant.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { MOST_RAISED } from './most-raised.ts';

const HOUR_MS = 3_600_000;

/**
 * How many more alerts may be raised now. They are counted by when their ids were made, so by an index that there is; those
 * of long from now were made before the clock was set back.
 */
export async function roomFor(db: Connection, orgId: number): Promise<number> {
  const [first, end] = [firstId(Date.now() - HOUR_MS), firstId(Date.now() + HOUR_MS)];
  const { raised } = await db.one(sql.prepared('count-raised-alerts', rowsOf<{ raised: number }>())`
    select count(*) as raised
    from (select from alerts where org_id = ${orgId} and id >= ${first} and id < ${end} limit ${MOST_RAISED}::integer) latest`);
  return MOST_RAISED - raised;
}

/** No id that is made then, or later, sorts before it. */
function firstId(at: number): string {
  return `${encodeTime(Math.max(0, at), 10)}${'0'.repeat(16)}`;
}

/** Notes that alerts were not raised. */
export async function noteFlood(db: Connection, orgId: number, since: Micros): Promise<void> {
  await db.exec(sql.prepared('note-alert-flood', NO_ROWS)`
    insert into alert_floods as noted (org_id, since, until)
    values (${orgId}, time_of_micros(${since}::bigint), clock_timestamp() + interval '1 hour')
    on conflict (org_id) do update set since = least(noted.since, excluded.since)`);
}

/** Has organizations that may raise again derived anew; also where the database's clock was set back since. */
export async function endFloods(db: Connection): Promise<void> {
  await db.exec(sql.prepared('end-alert-floods', NO_ROWS)`
    with ended as (
      delete from alert_floods where until not between clock_timestamp() and clock_timestamp() + interval '1 hour'
      returning org_id, since
    )
    insert into alert_revisions (org_id, subject, since) select org_id, 'organization', since from ended`);
}
