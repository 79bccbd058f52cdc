import { setTimeout as pause } from 'node:timers/promises';
import { append } from '../../../../base/append.ts';
import type { Micros } from '../../../../base/instant.ts';
import type { Pool } from '../../../../db/timescale/connections/client.ts';
import { inTransaction } from '../../../../db/timescale/connections/transaction.ts';
import { rowsOf, sql } from '../../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../../db/timescale/queries/verbs.ts';
import { waitsFor } from '../../../moves/settle-seconds.ts';
import { alertLetter } from '../letter/alert-letter.ts';
import type { Letter } from '../letter/letter.ts';
import { type TouchedAlert, toldAlerts } from '../letter/told-alerts.ts';
import type { Mailer, MailOutcome } from '../sending/mailer.ts';
import {
  addRecipients,
  type DoneWith,
  dueRecipients,
  noteBegun,
  noteOutcome,
  passOver,
  type Recipient,
} from './recipients.ts';

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

interface End {
  after: number;
  up_to: number;
  known: number;
  /** JSON text of {@link DoneWith.beyond}; empty for a member who was removed meanwhile. */
  done_beyond: string;
}

export interface MailParts {
  /** For beginning messages, which only one process of an installation may do. */
  db: Pool;
  /** For outcomes of finished messages. */
  pool: Pool;
  mailer: Mailer;
  consoleUrl: string | null;
  /** How long an event of an alert waits; an alert withdrawn meanwhile is not sent. */
  settleSeconds?: number;
  onMessage(recipient: Recipient, outcome: MailOutcome): void;
  /** The outcome of a message could not be stored, so the message is sent once more. */
  onFault(error: unknown): void;
  random?(): number;
}

/** Messages under way per process, each on its own connection. */
const AT_ONCE = 8;

/** Recipients looked at in a turn. */
const LOOKED_AT = 1_000;

/** Milliseconds: the messages that were begun wait for as long. */
const LOOKS_FOR = 1_000;

interface Begun {
  recipient: Recipient;
  letter: Letter;
  done: DoneWith;
}

/**
 * Sends e-mail of alerts:
 *
 * 1. The elected process records that messages begin, for organizations in turn; nobody begins another one to the same
 *    people within a minute.
 * 2. They are sent, which takes less than that; others begin meanwhile as long as there is room.
 * 3. Messages taken by the server are done. If the process is killed in between, they are sent again, at least a minute
 *    later.
 */
export class MailTurns {
  readonly #parts: MailParts;
  readonly #underWay = new Map<Promise<void>, Recipient>();
  /** The organization whose message was begun last. */
  #last = 0;

  constructor(parts: MailParts) {
    this.#parts = parts;
  }

  /** Whether as many messages are under way as may be. */
  get isFull(): boolean {
    return this.#underWay.size >= AT_ONCE;
  }

  get isSending(): boolean {
    return this.#underWay.size > 0;
  }

  /** @returns how many messages were begun. */
  async take(): Promise<number> {
    if (this.isFull) {
      return 0;
    }
    const begun = await inTransaction(this.#parts.db, (transaction) => this.#begin(transaction));
    for (const each of begun) {
      const sending = this.#send(each)
        .catch(this.#parts.onFault)
        .finally(() => this.#underWay.delete(sending));
      this.#underWay.set(sending, each.recipient);
    }
    return begun.length;
  }

  /** Waits until a message under way has ended, at most for the given milliseconds. */
  async someEnded(within: number): Promise<void> {
    const ended = new AbortController();
    const late = pause(within, undefined, { signal: ended.signal }).catch(() => {});
    await Promise.race([late, ...this.#underWay.keys()]);
    ended.abort();
  }

  /** Waits until every message under way has ended. */
  async allEnded(): Promise<void> {
    await Promise.all(this.#underWay.keys());
  }

  async #send({ recipient, letter, done }: Begun): Promise<void> {
    const { pool, mailer, onMessage, random = Math.random } = this.#parts;
    const outcome = await mailer.send(recipient, letter);
    onMessage(recipient, outcome);
    await noteOutcome(pool, recipient, done, outcome, random());
  }

  async #begin(transaction: Connection): Promise<Begun[]> {
    await addRecipients(transaction);
    const begun: Begun[] = [];
    const { settleSeconds = 0 } = this.#parts;
    const wanted = { afterOrg: this.#last, limit: LOOKED_AT, settleSeconds };
    const due = await dueRecipients(transaction, wanted);
    const until = performance.now() + LOOKS_FOR;
    for (const own of Map.groupBy(due, ({ userId }) => userId).values()) {
      append(begun, await this.#beginFirst(transaction, own, begun));
      if (this.#underWay.size + begun.length >= AT_ONCE || performance.now() > until) {
        break;
      }
    }
    this.#last = begun.at(-1)?.recipient.orgId ?? this.#last;
    return begun;
  }

  /**
   * A message to one person, for the first organization that has news for them. The one whose last message to them is oldest
   * goes first.
   */
  async #beginFirst(
    transaction: Connection,
    own: readonly Recipient[],
    begun: readonly Begun[],
  ): Promise<Begun[]> {
    for (const recipient of own.toSorted((a, b) => (a.triedAt ?? 0) - (b.triedAt ?? 0))) {
      if (!this.#hasRoomFor(recipient.orgId, begun)) {
        continue;
      }
      const { settleSeconds = 0 } = this.#parts;
      const { alerts, after, done } = await loadTouched(transaction, recipient, settleSeconds);
      const told = toldAlerts(alerts);
      if (told.listed.length > 0) {
        await noteBegun(transaction, recipient, after);
        const { consoleUrl } = this.#parts;
        return [{ recipient, letter: alertLetter({ ...recipient, consoleUrl }, told), done }];
      }
      await passOver(transaction, recipient, done);
    }
    return [];
  }

  /** An organization may have half of what others leave, so that a hanging one leaves room. */
  #hasRoomFor(orgId: number, begun: readonly Begun[]): boolean {
    const all = [...this.#underWay.values(), ...begun.map(({ recipient }) => recipient)];
    const own = all.filter((each) => each.orgId === orgId).length;
    return own < Math.ceil((AT_ONCE - (all.length - own)) / 2);
  }
}

/**
 * Alerts with events after the recipient's position, in their present state, of rules that name the recipient, or
 * did when they ended; none for former members and disabled users.
 *
 * An alert has news once an event of it has waited for `settleSeconds`; its later events are done with together with
 * that one.
 *
 * @returns with them the last position that is done with, with what is done with beyond it, and up to which one
 * events are too old to be told.
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
