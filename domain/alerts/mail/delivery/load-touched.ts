import type { Micros } from '../../../../base/instant.ts';
import { rowsOf, sql } from '../../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../../db/timescale/queries/verbs.ts';
import { waitsFor } from '../../../moves/settle-seconds.ts';
import type { TouchedAlert } from '../letter/told-alerts.ts';
import type { DoneWith, Recipient } from './recipients.ts';

/** Events in one message; later ones follow a minute later. */
const EVENTS = 10_000;

/** Of them those that still wait: so many alerts can be done with beyond the recipient's position, which is stored by id. */
const WAITING = 1_000;

/** Hours after which unreported alerts are old: no process has sent e-mail meanwhile. */
const OLD = 24;

interface TouchedRow {
  id: string;
  kind: TouchedAlert['kind'];
  rule_name: string;
  subject: string;
  location: string | null;
  state: TouchedAlert['state'];
  level: TouchedAlert['level'];
  is_missing: boolean;
  reading: TouchedAlert['reading'];
  opened_at: Micros;
  closed_at: Micros | null;
  is_new: boolean;
  is_beyond: boolean;
}

/**
 * Alerts that the feed tells of after the recipient's position, as they are now, of rules that name the recipient now, or did
 * when they ended; none for who is no member any more, or disabled.
 *
 * An alert has news once an event of it has waited for `settleSeconds`; its later events are done with together with that one.
 *
 * @returns with them the last position that is done with, with what is done with beyond it, and up to which one events are too
 * old to be told.
 */
export async function loadTouched(
  db: Connection,
  recipient: Recipient,
  settleSeconds: number,
): Promise<{ alerts: TouchedAlert[]; after: number; done: DoneWith }> {
  const { orgId, userId } = recipient;
  const { after, up_to: upTo, known, done_beyond: doneBeyond } = await findEnd(db, recipient, settleSeconds);
  const rows = await db.any(sql.prepared('load-touched-alerts', rowsOf<TouchedRow>())`
    select alert.id, alert.kind, rule.name as rule_name, coalesce(asset.name, reader.name) as subject,
      location.name as location, alert.state, alert.level, coalesce(alert.because ->> 'state' = 'missing', false) as is_missing,
      case when alert.because ->> 'reading' is not null then json_build_object('kind', alert.because -> 'reading',
        'above', alert.because -> 'above', 'below', alert.because -> 'below', 'value', alert.because -> 'value') end as reading,
      micros_of_time(alert.opened_at) as opened_at, micros_of_time(alert.closed_at) as closed_at,
      -- A warning that became an alarm was told before, and so was overdue that became missing; what was either as soon as it
      -- was found was not.
      touched.is_opened or coalesce(touched.is_alarmed and alert.alarm_at <= alert.recorded_at, false) as is_new,
      touched.is_beyond
    from (
      select event.rows #>> '{alert,0,id}' as id,
        bool_or(event.kind = 'alert_opened' and not second.is_passed) as is_opened,
        bool_or(event.kind = 'alert_opened' and second.is_passed) as is_alarmed,
        max(event.position) > ${upTo}::int8 as is_beyond
      from moves event
      cross join lateral (
        select coalesce(event.rows #>> '{alert,0,level}' = 'alarm', false)
          or coalesce(event.rows #>> '{alert,0,because,state}' = 'missing', false) as is_passed
      ) second
      where event.org_id = ${orgId} and event.asset_id is null
        and event.position > ${after}::int8 and event.position <= ${known}::int8
        and event.position > coalesce((${doneBeyond}::jsonb ->> (event.rows #>> '{alert,0,id}'))::int8, 0)
      group by 1
      having min(event.position) <= ${upTo}::int8
    ) touched
    join alerts alert on alert.org_id = ${orgId} and alert.id = touched.id
    join lateral (
      select newest.name, newest.mail_to from rules newest
      where newest.org_id = ${orgId} and newest.id = alert.rule_id and not newest.is_ended
        and newest.valid_from <= clock_timestamp()
      order by newest.version desc limit 1
    ) rule on true
    join users account on account.id = ${userId} and not account.is_disabled and account.email = any (rule.mail_to)
    join memberships membership on membership.org_id = ${orgId} and membership.user_id = account.id
    left join assets asset on asset.org_id = ${orgId} and asset.id = alert.asset_id
    left join readers reader on reader.org_id = ${orgId} and reader.id = alert.reader_id
    left join locations location on location.org_id = ${orgId} and location.id = alert.location_id`);
  const still = Object.entries<number>(JSON.parse(doneBeyond)).filter(([, beyond]) => beyond > upTo);
  const beyond = rows.flatMap(({ id, is_beyond: isBeyond }) => (isBeyond ? [[id, known] as const] : []));
  return {
    alerts: rows.map(toAlert),
    after,
    done: { upTo, beyond: Object.fromEntries([...still, ...beyond]) },
  };
}

function toAlert({
  rule_name: ruleName,
  is_missing: isMissing,
  opened_at: openedAt,
  closed_at: closedAt,
  is_new: isNew,
  is_beyond: _,
  ...row
}: TouchedRow): TouchedAlert {
  return { ...row, ruleName, isMissing, openedAt, closedAt, isNew };
}

interface End {
  after: number;
  up_to: number;
  known: number;
  /** JSON text of {@link DoneWith.beyond}; empty for a member who was removed meanwhile. */
  done_beyond: string;
}

function findEnd(
  db: Connection,
  { orgId, userId, position, failures }: Recipient,
  settleSeconds: number,
): Promise<End> {
  return db.one(sql.prepared('find-end-of-mail', rowsOf<End>())`
    select coalesce(max(event.position) filter (where event.waiting <= ${WAITING}), ${position}::int8) as known,
      coalesce(min(event.position) filter (where event.waits > 0) - 1, max(event.position), ${position}::int8) as up_to,
      coalesce(max(event.position) filter (
        where ${failures}::integer = 0 and event.recorded_at < clock_timestamp() - make_interval(hours => ${OLD})
      ), ${position}::int8) as after,
      coalesce((
        select done_beyond::text from alert_mail_recipients where org_id = ${orgId} and user_id = ${userId}
      ), '{}') as done_beyond
    from (
      select next.*, count(*) filter (where next.waits > 0) over (order by next.position) as waiting
      from (
        select position, recorded_at, ${waitsFor(sql.fragment`sealed_at`, settleSeconds)} as waits from moves
        where org_id = ${orgId} and asset_id is null and position > ${position}::int8
        order by position limit ${EVENTS}
      ) next
    ) event`);
}
