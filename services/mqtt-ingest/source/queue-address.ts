import type { Options } from 'amqplib';

/** The broker accepts the login, but refuses it the queue. */
export class QueueRefused extends Error {
  constructor(queue: string, { message }: Error) {
    super(`queue ${queue}: ${message}`);
  }
}

/** AMQP 0.9.1 section 1.2. */
const ACCESS_REFUSED = 403;

/** A node of RabbitMQ. */
export interface QueueAddress extends Options.Connect {
  protocol: 'amqp' | 'amqps';
  hostname: string;
  port: number;
  /** Percent-encoded: the client decodes it. */
  vhost: string;
}

export interface QueueBroker {
  /** Hosts of one cluster; each attempt to connect takes the next. */
  nodes: readonly QueueAddress[];
  tls: { ca?: Buffer; cert?: Buffer; key?: Buffer };
}

const QUEUE_PROTOCOLS = ['amqp:', 'amqps:'];

/** The nodes of a cluster, as AMQP_URL names them: one address, or several with blanks between. */
export function queueAddresses(urls: string): QueueAddress[] {
  return addressesIn(urls).map((text) => {
    const { protocol, hostname, port, pathname, username, password } = new URL(text);
    return {
      protocol: protocol === 'amqps:' ? 'amqps' : 'amqp',
      hostname: hostname.replace(/^\[|\]$/g, ''),
      port: port === '' ? USUAL_PORTS[protocol === 'amqps:' ? 'amqps' : 'amqp'] : Number(port),
      vhost: pathname.length > 1 ? pathname.slice(1) : '/',
      username: username === '' ? 'guest' : decodeURIComponent(username),
      password: username === '' ? 'guest' : decodeURIComponent(password),
    };
  });
}

export function areQueueAddresses(urls: string): boolean {
  const addresses = addressesIn(urls);
  return (
    addresses.length > 0 &&
    addresses.every((text) => {
      const url = URL.canParse(text) ? new URL(text) : null;
      return (
        url !== null && QUEUE_PROTOCOLS.includes(url.protocol) && url.hostname !== '' && isDecodable(url)
      );
    })
  );
}

export function placeOfNode({ protocol, hostname, port, vhost }: QueueAddress): string {
  const host = hostname.includes(':') ? `[${hostname}]` : hostname;
  return `${protocol}://${host}:${port}${vhost === '/' ? '' : `/${vhost}`}`;
}

export function isAnyNodeOverTls(urls: string): boolean {
  return queueAddresses(urls).some(({ protocol }) => protocol === 'amqps');
}

/** @param tls PEM texts; null for the system's certificate authorities, or for no client certificate. */
export function queueBroker(
  urls: string,
  tls: { ca: Buffer | null; cert: Buffer | null; key: Buffer | null },
): QueueBroker {
  return {
    nodes: queueAddresses(urls),
    tls: Object.fromEntries(Object.entries(tls).filter(([, text]) => text !== null)),
  };
}

function addressesIn(urls: string): string[] {
  return urls.split(/\s+/).filter((text) => text !== '');
}

function isDecodable({ pathname, username, password }: URL): boolean {
  try {
    decodeURIComponent(pathname + username + password);
    return true;
  } catch {
    return false;
  }
}

const USUAL_PORTS = { amqp: 5_672, amqps: 5_671 };

export function isAccessRefused(error: unknown): error is Error {
  return error instanceof Error && (error as { code?: unknown }).code === ACCESS_REFUSED;
}
