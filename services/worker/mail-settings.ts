import { type MailServer, parseMailServer } from '../../domain/alerts/mail/sending/mail-server.ts';
import { parseSender, type Sender } from '../../domain/alerts/mail/sending/sender.ts';
import { MOST_SETTLE_SECONDS } from '../../domain/moves/settle-seconds.ts';
import { integerSetting } from '../../platform/runtime/setting-kinds.ts';
import type { Setting } from '../../platform/runtime/settings.ts';

const SMTP_URL: Setting<MailServer | null> = {
  purpose: 'the server that e-mail of alerts is sent by; without it none is sent',
  initial: null,
  absent: null,
  remedy: 'an address such as smtp://user:password@mail.example.com:587 or smtps://mail.example.com',
  isSecret: true,
  read: parseMailServer,
};

const MAIL_FROM: Setting<Sender | null> = {
  purpose: 'whom e-mail of alerts is from',
  initial: null,
  absent: null,
  remedy: 'an address such as alerts@example.com or "Tracking <alerts@example.com>"',
  read: parseSender,
};

const MAIL_SETTLE_SECONDS = integerSetting(
  'for how many seconds an alert is waited for, which is not sent if it is withdrawn by then',
  { initial: 0, min: 0, max: MOST_SETTLE_SECONDS },
);

export const MAIL_SETTINGS = { SMTP_URL, MAIL_FROM, MAIL_SETTLE_SECONDS };

/** @returns a fault, or null. */
export function faultOfMail(config: {
  SMTP_URL: MailServer | null;
  MAIL_FROM: Sender | null;
}): string | null {
  return config.SMTP_URL !== null && config.MAIL_FROM === null
    ? `MAIL_FROM is not set, and SMTP_URL is; set MAIL_FROM to ${MAIL_FROM.remedy}`
    : null;
}
