import { TAGTRAIL } from '../../base/typed-command.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { findMailTrouble } from '../alerts/mail/delivery/mail-trouble.ts';
import { type Finding, fault, ok, warning } from './finding.ts';

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
