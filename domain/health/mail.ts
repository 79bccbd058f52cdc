import { TAGTRAIL } from '../../base/typed-command.ts';
import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { type Finding, fault, ok, warning } from './finding.ts';

interface MailTrouble {
  /** Members whom rules name. */
  named: number;
  /** True if rules have named somebody for a minute, and no process has noticed. */
  isUnsent: boolean;
  /** Recipients whose last message was not sent, at most ten, the latest first. */
  unsent: readonly UnsentMail[];
}

interface UnsentMail {
  email: string;
  /** Refused for good, and not only for now. */
  is_refused: boolean;
  failures: number;
  error: string;
}

/** Checks whether those whom rules name get e-mail. */
export async function examineMail(db: Connection, orgId: number | null = null): Promise<Finding[]> {
  const { named, isUnsent, unsent } = await findMailTrouble(db, orgId);
  if (isUnsent) {
    return [
      fault(
        'e-mail',
        'Rules name recipients of alerts, but no process sends e-mail',
        `Set SMTP_URL and MAIL_FROM for the worker; test them with ${TAGTRAIL} mail test --to ...`,
      ),
    ];
  }
  if (unsent.length === 0) {
    return [ok('e-mail', named === 0 ? 'No rule names anybody' : `Rules name ${named}; nothing was refused`)];
  }
  return unsent.map(({ email, is_refused: isRefused, failures, error }) =>
    isRefused
      ? warning(
          'e-mail',
          `The e-mail to ${email} was refused for good: ${error}`,
          'Correct the address, or name another recipient in the rules; the next alert is sent again',
          { what: 'look_at_rules', id: null },
        )
      : warning(
          'e-mail',
          `E-mail to ${email} could not be sent, ${failures === 1 ? 'once' : `${failures} times`}: ${error}`,
          `Check the mail server; try it with ${TAGTRAIL} mail test --to ...`,
        ),
  );
}

/** @param orgId null for every organization's. */
async function findMailTrouble(db: Connection, orgId: number | null): Promise<MailTrouble> {
  const row = await db.one(sql.type(rowsOf<{ named: number; is_unsent: boolean; unsent: string | null }>())`
    with named as (
      select rule.org_id, account.id as user_id, account.email, min(rule.recorded_at) as since
      from (
        select distinct on (version.org_id, version.id) version.*
        from rules version
        join organizations organization on organization.id = version.org_id and organization.deleted_at is null
        where version.valid_from <= now() and (${orgId}::integer is null or version.org_id = ${orgId}::integer)
        order by version.org_id, version.id, version.version desc
      ) rule
      cross join lateral unnest(rule.mail_to) address
      join users account on account.email = address and not account.is_disabled
      join memberships membership on membership.org_id = rule.org_id and membership.user_id = account.id
      where not rule.is_ended
      group by 1, 2, 3
    ), unsent as (
      select named.email, recipient.refused_at is not null and recipient.failures = 0 as is_refused, recipient.failures, recipient.error
      from named
      join alert_mail_recipients recipient on recipient.org_id = named.org_id and recipient.user_id = named.user_id
      where recipient.error is not null
      order by recipient.tried_at desc
      limit 10
    )
    select count(distinct named.user_id) as named,
      coalesce(bool_or(recipient.user_id is null and named.since < now() - interval '1 minute'), false) as is_unsent,
      (select json_agg(unsent) from unsent)::text as unsent
    from named
    left join alert_mail_recipients recipient
      on recipient.org_id = named.org_id and recipient.user_id = named.user_id`);
  return {
    named: row.named,
    isUnsent: row.is_unsent,
    unsent: row.unsent === null ? [] : JSON.parse(row.unsent),
  };
}
