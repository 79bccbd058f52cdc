import { ADVISORY_LOCKS } from '../../../db/timescale/connections/advisory-locks.ts';
import { MailTurns } from '../../../domain/alerts/mail/delivery/mail-turns.ts';
import type { MailServer, Sender } from '../../../domain/alerts/mail/sending/mail-server.ts';
import { openMailer } from '../../../domain/alerts/mail/sending/mailer.ts';
import { MOVES_SEALED } from '../../../domain/moves/sealing/announcements.ts';
import { countOutcomes } from '../../../platform/runtime/figures.ts';
import type { Job, JobParts } from './job.ts';

export interface MailConfig {
  server: MailServer;
  from: Sender;
  CONSOLE_URL: string | null;
  MAIL_SETTLE_SECONDS: number;
}

/** Milliseconds between looks: some messages are put off for a minute or more. */
const EVERY = 5_000;

/** Milliseconds between looks if events wait: nobody says when one has. */
const EVERY_IF_HELD = 1_000;

/** Milliseconds that a turn waits for a message to end if too many are under way. */
const FULL = 250;

/** Milliseconds between two warnings. */
const WARN_EVERY = 60_000;

/** Milliseconds that the end of the process waits for a message under way. */
const LEAVES_AFTER = 3_000;

/** Sends e-mail of alerts. */
export function sendMail(
  { server, from, CONSOLE_URL: consoleUrl, MAIL_SETTLE_SECONDS: settleSeconds }: MailConfig,
  { log, metrics, pool }: JobParts,
): Job {
  const count = countOutcomes(metrics, MESSAGES, ['sent', 'refused', 'failed']);
  let nextWarning = 0;
  const warn = (what: object, text: string) => {
    if (Date.now() >= nextWarning) {
      nextWarning = Date.now() + WARN_EVERY;
      log.warn(what, text);
    }
  };
  return {
    ...{ name: 'send-mail', lock: ADVISORY_LOCKS.mail },
    session: { name: 'tagtrail mail', patience: 30_000 },
    ...{ wokenBy: [MOVES_SEALED], rest: 1_000 },
    begin: (db) => {
      const leaving = new AbortController();
      const turns = new MailTurns({
        ...{ db, pool, consoleUrl, settleSeconds, mailer: openMailer(server, from, leaving.signal) },
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
      return {
        turn: async () => {
          if ((await turns.take()) > 0) {
            return 0;
          }
          if (turns.isFull) {
            await turns.someEnded(FULL);
            return 0;
          }
          if (turns.isSending) {
            return 1;
          }
          return settleSeconds > 0 ? EVERY_IF_HELD : EVERY;
        },
        end: async () => {
          const timer = setTimeout(() => leaving.abort(), LEAVES_AFTER);
          await turns.allEnded();
          clearTimeout(timer);
        },
      };
    },
  };
}

const MESSAGES = [
  'tagtrail_mail_messages_total',
  'E-mail of alerts by its outcome: sent, refused (by the mail server, for good), failed (tried again).',
] as const;
