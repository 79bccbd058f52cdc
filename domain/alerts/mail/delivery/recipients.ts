import type { Micros } from '../../../../base/instant.ts';
import { isHere } from '../../../../db/timescale/queries/is-here.ts';
import { NO_ROWS, rowsOf, sql } from '../../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../../db/timescale/queries/verbs.ts';
import { waitsFor } from '../../../moves/settle-seconds.ts';
import { positionAt } from '../../../tracking/feed/position-at.ts';
import type { MailOutcome } from '../sending/mailer.ts';

/** A member who receives alerts of an organization. */
export interface Recipient {
  orgId: number;
  organization: string;
  userId: number;
  name: string;
  address: string;
  /** Everything in the feed up to this is done with. */
  position: number;
  failures: number;
  /** When the last message was begun. */
  triedAt: Micros | null;
}

/** How far a recipient's feed is done with. */
export interface DoneWith {
  upTo: number;
  /** Alerts that are done with up to a later position, by id. */
  beyond: Readonly<Record<string, number>>;
}

/** Seconds between two messages to the same person. */
const PACE = 60;

/** Minutes that a new recipient's first message reaches back: processes that send are restarted, and look after a while. */
const REACHES_BACK = 10;

/**
 * Adds the members whom rules name as recipients. Each begins with alerts recorded after the rule and just now: e-mail
 * set up late reports nothing old.
 */
export async function addRecipients(db: Connection): Promise<void> {
  const named = await db.any(sql.prepared(
    'find-new-mail-recipients',
    rowsOf<{ org_id: number; user_id: number; since: Micros }>(),
  )`
    with named as materialized (
      select rule.org_id, address, min(rule.recorded_at) as since
      from rules rule cross join lateral unnest(rule.mail_to) address
      group by 1, 2
    )
    select named.org_id, account.id as user_id,
      micros_of_time(greatest(named.since, clock_timestamp() - make_interval(mins => ${REACHES_BACK}))) as since
    from named
    join users account on account.email = named.address
    join memberships membership on membership.org_id = named.org_id and membership.user_id = account.id
    where ${isHere(sql.fragment`named.org_id`)} and not exists (
      select from alert_mail_recipients recipient
      where recipient.org_id = named.org_id and recipient.user_id = account.id)`);
  for (const { org_id: orgId, user_id: userId, since } of named) {
    const position = await positionAt(db, orgId, since);
    await db.exec(sql.prepared('add-mail-recipient', NO_ROWS)`
      insert into alert_mail_recipients (org_id, user_id, position) values (${orgId}, ${userId}, ${position}::int8)
      on conflict do nothing`);
  }
}

/**
 * Recipients of organizations with newer events of alerts that have waited for `settleSeconds`, whom nobody has begun a message to within the last minute: one of
 * each organization, then a second of each, and so on, beginning after an organization. Within an organization, the recipient
 * whose position in the feed is lowest goes first.
 */
export async function dueRecipients(
  db: Connection,
  { afterOrg, limit, settleSeconds }: { afterOrg: number; limit: number; settleSeconds: number },
): Promise<Recipient[]> {
  const rows = await db.any(sql.prepared(
    'find-due-mail-recipients',
    rowsOf<{
      org_id: number;
      organization: string;
      user_id: number;
      name: string;
      email: string;
      position: number;
      failures: number;
      tried_at: Micros | null;
    }>(),
  )`
    with behind as materialized (
      select told.org_id, event.position
      from (select org_id, min(position) as position from alert_mail_recipients group by org_id) told
      cross join lateral (
        select position from moves
        where org_id = told.org_id and asset_id is null and position > told.position
          and ${waitsFor(sql.fragment`sealed_at`, settleSeconds)} <= 0
        order by position desc limit 1
      ) event
    )
    select recipient.org_id, organization.name as organization, recipient.user_id, account.name, account.email,
      recipient.position, recipient.failures, micros_of_time(recipient.tried_at) as tried_at
    from alert_mail_recipients recipient
    join behind on behind.org_id = recipient.org_id and behind.position > recipient.position
    join users account on account.id = recipient.user_id
    join organizations organization on organization.id = recipient.org_id and organization.deleted_at is null
    -- Both not where the database's clock was set back since.
    where (recipient.not_before between clock_timestamp() and clock_timestamp() + interval '2 hours') is not true
      and not exists (
        select from alert_mail_recipients own
        where own.user_id = recipient.user_id
          and own.tried_at between clock_timestamp() - make_interval(secs => ${PACE}) and clock_timestamp())
    order by row_number() over (partition by recipient.org_id order by recipient.position, recipient.user_id),
      recipient.org_id <= ${afterOrg}, recipient.org_id
    limit ${limit}`);
  return rows.map(({ org_id: orgId, user_id: userId, email: address, tried_at: triedAt, ...rest }) => ({
    ...{ orgId, userId, address, organization: rest.organization, name: rest.name },
    ...{ position: rest.position, failures: rest.failures, triedAt },
  }));
}

/**
 * Records that a message about what follows a position has begun: nobody begins another within a minute, even if this
 * process dies.
 */
export async function noteBegun(db: Connection, { orgId, userId }: Recipient, after: number): Promise<void> {
  await db.exec(sql.prepared('note-begun-mail', NO_ROWS)`
    update alert_mail_recipients
    set tried_at = clock_timestamp(), position = greatest(position, ${after}::int8)
    where org_id = ${orgId} and user_id = ${userId}`);
}

/** Records that the done events have no news for the recipient. */
export async function passOver(
  db: Connection,
  { orgId, userId }: Recipient,
  { upTo, beyond }: DoneWith,
): Promise<void> {
  await db.exec(sql.prepared('pass-over-mail', NO_ROWS)`
    update alert_mail_recipients set position = greatest(position, ${upTo}::int8),
      done_beyond = ${JSON.stringify(beyond)}::jsonb
    where org_id = ${orgId} and user_id = ${userId}`);
}

/** Records the outcome of the message about the done events. */
export async function noteOutcome(
  db: Connection,
  { orgId, userId, failures }: Recipient,
  { upTo, beyond }: DoneWith,
  { outcome, error }: MailOutcome,
  random: number,
): Promise<void> {
  if (outcome === 'failed') {
    const seconds = nextAttemptIn(failures + 1, random);
    await db.exec(sql.prepared('note-failed-mail', NO_ROWS)`
      update alert_mail_recipients set failures = least(failures + 1, 1000), error = ${error},
        not_before = clock_timestamp() + make_interval(secs => ${seconds}::float8)
      where org_id = ${orgId} and user_id = ${userId}`);
  } else {
    await db.exec(sql.prepared('note-ended-mail', NO_ROWS)`
      update alert_mail_recipients set position = greatest(position, ${upTo}::int8),
        done_beyond = ${JSON.stringify(beyond)}::jsonb, failures = 0, not_before = null,
        error = ${error}::text,
        sent_at = case when ${outcome === 'sent'}::boolean then clock_timestamp() else sent_at end,
        refused_at = case when ${outcome === 'sent'}::boolean then null else clock_timestamp() end
      where org_id = ${orgId} and user_id = ${userId}`);
  }
}

/** Minutes before each further attempt; the last repeats, because waiting alerts stay true. */
const MINUTES = [1, 2, 5, 10, 30, 60];

/** Jitter, so that simultaneous failures are not retried together. */
const JITTER = 0.2;

/** Seconds until the next attempt. @param failures how many have failed, from 1. @param random 0 to 1. */
function nextAttemptIn(failures: number, random: number): number {
  const minutes = MINUTES[Math.min(failures, MINUTES.length) - 1] ?? 1;
  return minutes * 60 * (1 + JITTER * random);
}
