import type { IClientOptions } from 'mqtt';

export type BrokerAddress = Pick<
  IClientOptions,
  'protocol' | 'host' | 'port' | 'path' | 'username' | 'password' | 'ca' | 'cert' | 'key'
>;

export const BROKER_PROTOCOLS = ['mqtt:', 'mqtts:', 'ws:', 'wss:'];

/** True for the {@link BROKER_PROTOCOLS} with TLS. */
export function isOverTls(url: string): boolean {
  return ['mqtts:', 'wss:'].includes(new URL(url).protocol);
}

/** @param tls PEM texts; null for the system's certificate authorities, or for no client certificate. */
export function brokerAddress(
  url: string,
  tls: { ca: Buffer | null; cert: Buffer | null; key: Buffer | null },
): BrokerAddress {
  const { protocol, hostname, port, pathname, search, username, password } = new URL(url);
  return {
    protocol: protocol.slice(0, -1) as NonNullable<BrokerAddress['protocol']>,
    host: protocol.startsWith('ws') ? hostname : hostname.replace(/^\[|\]$/g, ''),
    ...(port === '' ? {} : { port: Number(port) }),
    ...(protocol.startsWith('ws') ? { path: pathname + search } : {}),
    ...(username === '' ? {} : { username: decoded(username) }),
    ...(password === '' ? {} : { password: decoded(password) }),
    ...(tls.ca === null ? {} : { ca: tls.ca }),
    ...(tls.cert === null ? {} : { cert: tls.cert }),
    ...(tls.key === null ? {} : { key: tls.key }),
  };
}

/** A percent sign outside an escape stands for itself. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function placeOfBroker(url: string): string {
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}`;
}
