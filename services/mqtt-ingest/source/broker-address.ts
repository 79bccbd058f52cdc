import type { IClientOptions } from 'mqtt';

/** Where a broker is and how to prove who one is, as the client library wants it. */
export type BrokerAddress = Pick<
  IClientOptions,
  'protocol' | 'host' | 'port' | 'path' | 'username' | 'password' | 'ca' | 'cert' | 'key'
>;

/** What MQTT_URL may start with. */
export const BROKER_PROTOCOLS = ['mqtt:', 'mqtts:', 'ws:', 'wss:'];

/** Of {@link BROKER_PROTOCOLS}: those that go over TLS. */
export function isOverTls(url: string): boolean {
  return ['mqtts:', 'wss:'].includes(new URL(url).protocol);
}

/** @param tls PEM texts, null where the system's own authorities do and no client certificate is needed. */
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
    ...(username === '' ? {} : { username: decodeURIComponent(username) }),
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
    ...(tls.ca === null ? {} : { ca: tls.ca }),
    ...(tls.cert === null ? {} : { cert: tls.cert }),
    ...(tls.key === null ? {} : { key: tls.key }),
  };
}

/** Where a broker is, for people: without credentials. */
export function placeOfBroker(url: string): string {
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}`;
}
