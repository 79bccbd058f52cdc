import { InvalidArgumentError } from 'commander';
import { AppError } from '../../../base/errors.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { testLetter } from '../../../domain/alerts/mail/letter/letter.ts';
import { isAddress } from '../../../domain/alerts/mail/sending/mail-server.ts';
import { openMailer } from '../../../domain/alerts/mail/sending/mailer.ts';
import { CONSOLE_URL } from '../../../platform/runtime/common-settings.ts';
import { readSettings } from '../../../platform/runtime/settings.ts';
import { faultOfMail, MAIL_SETTINGS } from '../../worker/config.ts';
import { addCommand, type Command } from '../command-line/command-line.ts';
import { FAILED } from '../command-line/report-error.ts';
import { running } from '../running/running.ts';

export function addMail(program: Command): void {
  addCommand(program, 'mail', 'test')
    .description(
      "Send a test e-mail like those of alerts, and show the mail server's answer. Exits with 1 unless the server took it.",
    )
    .requiredOption('--to <address>', 'the recipient', address)
    .addHelpText(
      'after',
      `\nExample:\n  SMTP_URL=smtp://mail.example.com MAIL_FROM=alerts@example.com ${TAGTRAIL} mail test --to you@example.com`,
    )
    .prints(async (options: { to: string }) => {
      const { server, from, consoleUrl } = mailSettings();
      const { outcome, error } = await openMailer(server, from).send(
        { name: '', address: options.to },
        testLetter(consoleUrl),
      );
      const text =
        outcome === 'sent'
          ? `Sent to ${options.to}: ${server.host} took it. If it does not arrive, look at that server's log`
          : `Not sent: ${error}`;
      running().status = outcome === 'sent' ? 0 : FAILED;
      return { json: { sent: outcome === 'sent', outcome, error }, text };
    });
}

/** @throws AppError `misconfigured` naming the setting. */
function mailSettings() {
  const { SMTP_URL, MAIL_FROM } = MAIL_SETTINGS;
  const config = readSettings({ SMTP_URL, MAIL_FROM, CONSOLE_URL }, running().env, [faultOfMail]);
  if (config.SMTP_URL === null || config.MAIL_FROM === null) {
    throw new AppError(
      'misconfigured',
      `SMTP_URL is not set, and e-mail needs it; set SMTP_URL to ${SMTP_URL.remedy}`,
    );
  }
  return { server: config.SMTP_URL, from: config.MAIL_FROM, consoleUrl: config.CONSOLE_URL };
}

function address(text: string): string {
  if (!isAddress(text)) {
    throw new InvalidArgumentError('It must be an address, such as you@example.com.');
  }
  return text;
}
