import type { Logger } from 'pino';
import { Counter, type Registry } from 'prom-client';
import { createWritePool } from '../../../db/timescale/connections/pool.ts';
import { MailTurns } from '../../../domain/alerts/mail/delivery/mail-turns.ts';
import type { MailServer } from '../../../domain/alerts/mail/sending/mail-server.ts';
import { type MailOutcome, openMailer } from '../../../domain/alerts/mail/sending/mailer.ts';
import type { Sender } from '../../../domain/alerts/mail/sending/sender.ts';
import type { Lifecycle } from '../../../platform/runtime/lifecycle.ts';
import { repeat } from '../../../platform/runtime/repeat.ts';

interface MailConfig {
  DATABASE_URL: string;
  SMTP_URL: MailServer | null;
  MAIL_FROM: Sender | null;
  CONSOLE_URL: string | null;
}

/** Milliseconds. */
const LOOK_EVERY = 2_000;
const WARN_EVERY = 60_000;

/** Milliseconds for which a message that is under way holds up the end of the process. */
const LEAVES_AFTER = 3_000;

/** Sends e-mail of alerts, together with every other process that does; without SMTP_URL nothing. */
export async function startMail(
  { DATABASE_URL: url, SMTP_URL: server, MAIL_FROM: from, CONSOLE_URL: consoleUrl }: MailConfig,
  { log, lifecycle, registry }: { log: Logger; lifecycle: Lifecycle; registry: Registry },
): Promise<void> {
  if (server === null || from === null) {
    return;
  }
  const pool = await lifecycle.start(
    'database of e-mail',
    () => createWritePool(url, { max: 1, applicationName: 'tagtrail mail' }),
    (started) => started.end(),
  );
  const count = countMessages(registry);
  let nextWarning = 0;
  const warn = (what: object, text: string) => {
    if (Date.now() >= nextWarning) {
      nextWarning = Date.now() + WARN_EVERY;
      log.warn(what, text);
    }
  };
  const leaving = new AbortController();
  const turns = new MailTurns({
    ...{ pool, consoleUrl, mailer: openMailer(server, from, leaving.signal) },
    onMessage: ({ orgId, userId }, { outcome, error }) => {
      count(outcome);
      if (outcome !== 'sent') {
        warn(
          { org: orgId, user: userId, reason: error },
          outcome === 'refused'
            ? 'E-mail was refused; it is not sent again'
            : 'E-mail was not sent; will retry',
        );
      }
    },
    onFault: (err) => warn({ err }, 'The outcome of an e-mail could not be stored; it may be sent again'),
  });
  await lifecycle.start(
    'e-mail',
    () =>
      repeat(
        LOOK_EVERY,
        async () => {
          while ((await turns.take()) > 0 || (await turns.someEnded(LOOK_EVERY))) {
            if (lifecycle.stopping.aborted) {
              return;
            }
          }
        },
        (err) => warn({ err }, 'E-mail of alerts could not be looked for; will retry'),
      ),
    async (started) => {
      const timer = setTimeout(() => leaving.abort(), LEAVES_AFTER);
      await started.stop();
      await turns.allEnded();
      clearTimeout(timer);
    },
  );
}

function countMessages(registry: Registry): (outcome: MailOutcome['outcome']) => void {
  const counter = new Counter({
    name: 'tagtrail_mail_messages_total',
    help: 'E-mail of alerts by its outcome: sent, refused (by the mail server, for good), failed (tried again).',
    labelNames: ['outcome'] as const,
    registers: [registry],
  });
  for (const outcome of ['sent', 'refused', 'failed'] as const) {
    counter.inc({ outcome }, 0);
  }
  return (outcome) => counter.inc({ outcome });
}
