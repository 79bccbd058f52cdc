import ipaddr from 'ipaddr.js';

/** Whom e-mail is from, as its header says it. */
export interface Sender {
  name: string;
  address: string;
}

const NAMED = /^(?<name>[^<>"\p{Cc}]{0,200})<(?<address>[^<>\s]+)>$/u;

/** A server that takes e-mail. */
export interface MailServer {
  host: string;
  port: number;
  /** TLS from the first byte on; otherwise STARTTLS, if the server offers it. */
  isSecure: boolean;
  login: { user: string; password: string } | null;
}

/** RFC 8314: 465 speaks TLS at once, 587 is for submission. */
const PORTS = { 'smtp:': 587, 'smtps:': 465 };

/**
 * Reads SMTP_URL.
 *
 * @returns undefined for invalid text.
 */
export function parseMailServer(text: string): MailServer | undefined {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== 'smtp:' && url.protocol !== 'smtps:') || url.hostname === '') {
    return undefined;
  }
  const hasMore = !['', '/'].includes(url.pathname) || url.search !== '' || url.hash !== '';
  const login = loginOf(url);
  if (hasMore || login === undefined) {
    return undefined;
  }
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? PORTS[url.protocol] : Number(url.port),
    isSecure: url.protocol === 'smtps:',
    login,
  };
}

function loginOf({ username, password }: URL): MailServer['login'] | undefined {
  if (username === '') {
    return password === '' ? null : undefined;
  }
  try {
    return { user: decodeURIComponent(username), password: decodeURIComponent(password) };
  } catch {
    return undefined;
  }
}

/** A password never crosses a network in the clear. */
export function needsTls({ login, host, isSecure }: MailServer): boolean {
  return login !== null && !isSecure && !isLoopback(host);
}

/** Whether a host is this machine, on any network. */
function isLoopback(host: string): boolean {
  return host === 'localhost' || (ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback');
}

/** Reads MAIL_FROM: an address, or a name with one: `Tracking <alerts@example.com>`. @returns undefined for anything else. */
export function parseSender(text: string): Sender | undefined {
  const { name = '', address = text } = NAMED.exec(text.trim())?.groups ?? {};
  return isAddress(address) ? { name: name.trim(), address } : undefined;
}

/** Deliberately loose: the mail server judges the rest. */
export function isAddress(text: string): boolean {
  return /^[^\s@<>,;:"\\\p{Cc}]{1,64}@[^\s@<>,;:"\\\p{Cc}]{1,189}$/u.test(text);
}
