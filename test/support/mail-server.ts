import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

/** An e-mail as the server was handed it. */
export interface ReceivedMail {
  from: string;
  to: string[];
  /** The login it was sent with. */
  user: string | null;
  /** Lower-case names. */
  headers: Map<string, string>;
  text: string;
  html: string;
}

export interface MailServerHere {
  host: string;
  port: number;
  received: ReceivedMail[];
  /** Users that somebody gave a password for, the right one or another. */
  logins: string[];
  /** The reply to each recipient: null takes the message, a number is the status it is refused with. */
  refusal: (address: string) => number | null;
  /** The same to the sender. */
  senderRefusal: number | null;
  /** What it waits for before it says that it took a message; null for nothing. */
  holds: (address: string) => Promise<void> | null;
  /** Resolves when it has got so many messages. */
  got(count: number): Promise<void>;
  close(): Promise<void>;
}

export const LOGIN = { user: 'alerts', password: 'pa:ss/wörd' };

/**
 * A real SMTP server on this machine.
 *
 * @param options.login whether it asks for {@link LOGIN}. @param options.offersTls STARTTLS, with a certificate nobody trusts.
 */
export async function startMailServer({
  login = false,
  offersTls = false,
  host = '127.0.0.1',
  port: wanted = 0,
} = {}): Promise<MailServerHere> {
  let waiting: { count: number; resolve: () => void }[] = [];
  const server = new SMTPServer({
    authOptional: !login,
    disabledCommands: [...(offersTls ? [] : ['STARTTLS']), ...(login ? [] : ['AUTH'])],
    allowInsecureAuth: true,
    logger: false,
    onAuth: ({ username = '', password }, _session, done) => {
      here.logins.push(username);
      return username === LOGIN.user && password === LOGIN.password
        ? done(null, { user: username })
        : done(Object.assign(new Error(`No such login: ${username}, ${password}`), { responseCode: 535 }));
    },
    onMailFrom: (_address, _session, done) => done(refusalBy(here.senderRefusal)),
    onRcptTo: ({ address }, _session, done) => done(refusalBy(here.refusal(address))),
    onData: async (stream, { envelope, user }, done) => {
      const chunks: Buffer[] = [];
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        chunks.push(chunk);
      }
      here.received.push({
        from: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
        to: envelope.rcptTo.map(({ address }) => address),
        user: typeof user === 'string' ? user : null,
        ...readMessage(Buffer.concat(chunks).toString('latin1')),
      });
      const held = envelope.rcptTo.map(({ address }) => here.holds(address));
      for (const each of waiting.filter(({ count }) => here.received.length >= count)) {
        each.resolve();
      }
      waiting = waiting.filter(({ count }) => here.received.length < count);
      await Promise.all(held);
      done(null);
    },
  });
  server.on('error', () => {});
  server.listen(wanted, host);
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  const here: MailServerHere = {
    host,
    port,
    received: [],
    logins: [],
    refusal: () => null,
    senderRefusal: null,
    holds: () => null,
    got: (count) =>
      here.received.length >= count
        ? Promise.resolve()
        : new Promise((resolve) => waiting.push({ count, resolve })),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return here;
}

function refusalBy(status: number | null): Error | null {
  return status === null ? null : Object.assign(new Error('Mailbox not available'), { responseCode: status });
}

function readMessage(raw: string): Pick<ReceivedMail, 'headers' | 'text' | 'html'> {
  const { headers, body } = partOf(raw);
  const boundary = /boundary="([^"]+)"/.exec(headers.get('content-type') ?? '')?.[1];
  const parts =
    boundary === undefined
      ? [{ headers, body }]
      : body
          .split(`--${boundary}`)
          .slice(1, -1)
          .map((part) => partOf(part.replace(/^\r\n/, '')));
  const ofType = (type: string) => {
    const part = parts.find((each) => each.headers.get('content-type')?.startsWith(type) === true);
    return part === undefined ? '' : decoded(part.body, part.headers.get('content-transfer-encoding'));
  };
  return { headers, text: ofType('text/plain'), html: ofType('text/html') };
}

function partOf(raw: string): { headers: Map<string, string>; body: string } {
  const end = raw.indexOf('\r\n\r\n');
  const lines = raw
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
  );
  return { headers, body: raw.slice(end + 4) };
}

function decoded(body: string, encoding = '7bit'): string {
  const bytes =
    encoding === 'base64'
      ? Buffer.from(body, 'base64')
      : Buffer.from(
          encoding === 'quoted-printable'
            ? body
                .replaceAll('=\r\n', '')
                .replaceAll(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
            : body,
          'latin1',
        );
  return bytes.toString('utf8').replaceAll('\r\n', '\n').trimEnd();
}
