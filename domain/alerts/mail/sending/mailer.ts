import { messageOf } from '../../../../base/errors.ts';
import type { Letter } from '../letter/letter.ts';
import { type MailServer, needsTls, type Sender } from './mail-server.ts';

/** `refused`: by the server, for good. `failed`: another attempt may do better. */
export interface MailOutcome {
  outcome: 'sent' | 'refused' | 'failed';
  /** The server's answer, or the reason for none; null if the message was sent. */
  error: string | null;
}

export interface Mailer {
  /** Never throws: a fault is part of the outcome. */
  send(to: Sender, letter: Letter): Promise<MailOutcome>;
}

/** Milliseconds: to connect, to be greeted, without a byte. */
const PATIENCE = {
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 20_000,
  dnsTimeout: 5_000,
};

/** Milliseconds for everything: less than until another message to the same person may begin. */
const ALL_WITHIN = 45_000;

/** Characters kept of a fault. */
const REASON = 300;

/**
 * Connects for each message: there are few, and nothing has to be kept alive or ended.
 *
 * @param leaving once aborted, messages under way count as failed: they may arrive and be sent again, as after a kill.
 * @param within milliseconds after which a message has failed and its connection ends, even if the server still sends.
 */
export function openMailer(
  server: MailServer,
  from: Sender,
  leaving?: AbortSignal,
  within = ALL_WITHIN,
): Mailer {
  const { login } = server;
  let transport: ReturnType<typeof connecting> | undefined;
  return {
    send: async (to, { subject, text, html }) => {
      const late = AbortSignal.timeout(within);
      try {
        transport ??= connecting(server);
        const through = await transport;
        await through.sendMail({
          ...{ from, to, subject, text, html },
          // RFC 3834: so that nobody's absence notice answers.
          headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
          signal: leaving === undefined ? late : AbortSignal.any([late, leaving]),
        });
        return { outcome: 'sent', error: null };
      } catch (error) {
        if ((error as { code?: string }).code === 'EABORT') {
          const why = late.aborted ? `within ${within / 1_000} s` : 'before the process ended';
          return { outcome: 'failed', error: `Not taken ${why}` };
        }
        return { outcome: isForGood(error) ? 'refused' : 'failed', error: reasonOf(error, login?.password) };
      }
    },
  };
}

/** Its library is loaded with the first message: most processes never send one. */
async function connecting(server: MailServer) {
  const { host, port, isSecure, login } = server;
  const { createTransport } = await import('nodemailer');
  return createTransport({
    ...{ host, port, secure: isSecure, requireTLS: needsTls(server) },
    ...(login === null ? {} : { auth: { user: login.user, pass: login.password } }),
    ...PATIENCE,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/** Replies that demand a login (RFC 4954) or TLS (RFC 3207) first. */
const TO_BE_SET_UP = [503, 530];

/** A reply 5yz to the recipient or the message. A login or a sender that is refused can be mended, and nothing is lost. */
function isForGood(error: unknown): boolean {
  const { code, command, responseCode } = error as { code?: string; command?: string; responseCode?: number };
  return (
    (code === 'EENVELOPE' || code === 'EMESSAGE') &&
    command !== 'MAIL FROM' &&
    responseCode !== undefined &&
    responseCode >= 500 &&
    !TO_BE_SET_UP.includes(responseCode)
  );
}

function reasonOf(error: unknown, password: string | undefined): string {
  const said = messageOf(error).replaceAll(/\p{Cc}+/gu, ' ');
  const withoutSecret = password === undefined || password === '' ? said : said.replaceAll(password, '***');
  return withoutSecret.slice(0, REASON);
}
