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
        'Rules name people to be told of alerts, and no process sends e-mail',
        `Set SMTP_URL and MAIL_FROM for the worker; ${TAGTRAIL} mail test --to ... says whether they are right`,
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
          `What was sent to ${email} was refused, and is not sent again: ${error}`,
          'Correct the address, or name somebody else in the rules; the next alert is tried again',
          { what: 'look_at_rules', id: null },
        )
      : warning(
          'e-mail',
          `What is for ${email} could not be sent, ${failures === 1 ? 'once' : `${failures} times`}: ${error}`,
          `Look at the mail server; ${TAGTRAIL} mail test --to ... tries it at once`,
        ),
  );
}
