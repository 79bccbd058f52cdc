import { X509Certificate } from 'node:crypto';
import { hostname } from 'node:os';
import { createSecureContext } from 'node:tls';
import { messageOf } from '../../../base/errors.ts';
import {
  choiceSetting,
  integerSetting,
  optionalFile,
  textSetting,
} from '../../../platform/runtime/setting-kinds.ts';
import type { Configuration, Setting } from '../../../platform/runtime/settings.ts';
import { BROKER_PROTOCOLS, type BrokerAddress, brokerAddress, isOverTls } from './broker-address.ts';
import type { ProtocolVersion } from './protocol-version.ts';
import { areQueueAddresses, isAnyNodeOverTls, type QueueBroker, queueBroker } from './queue-address.ts';
import type { SubscriberOptions } from './subscriber.ts';

export const BROKER_SETTINGS = {
  MQTT_CLIENT_ID: clientIdSetting(),
  MQTT_VERSION: choiceSetting(
    'the version of MQTT to speak; auto is 5 unless the broker refuses it',
    ['auto', '5', '3.1.1'],
    'auto',
  ),
  MQTT_SHARED: choiceSetting(
    'how ingest processes divide the readers: auto by sessions that they have in common, on by shared subscriptions, off not at all',
    ['auto', 'on', 'off'],
    'auto',
  ),
  MQTT_SESSIONS: integerSetting('among how many sessions at the broker ingest processes divide the readers', {
    initial: 8,
    min: 1,
    max: 64,
  }),
  MQTT_SHARED_GROUP: groupSetting(),
  AMQP_URL: queueSetting(),
  MQTT_CA_FILE: optionalFile('certificates (PEM) of the authorities that vouch for the broker'),
  MQTT_CERT_FILE: optionalFile("this client's certificate (PEM)"),
  MQTT_KEY_FILE: optionalFile("the key of this client's certificate (PEM)"),
};

export type BrokerConfig = Configuration<typeof BROKER_SETTINGS>;

export function faultOfQueues(config: BrokerConfig & { MQTT_URL: string | null }): string | null {
  if (config.AMQP_URL === null) {
    return null;
  }
  if (config.MQTT_URL === null) {
    return 'AMQP_URL is set and MQTT_URL is not; set MQTT_URL to where readers publish at RabbitMQ, or unset AMQP_URL';
  }
  return config.MQTT_SHARED === 'auto'
    ? null
    : 'MQTT_SHARED does not go with AMQP_URL, whose queues are divided among all processes; unset MQTT_SHARED';
}

export const BROKER_URL = [BROKER_PROTOCOLS, 'mqtt://user:password@host:1883'] as const;

export function faultOfCertificates(config: BrokerConfig & { MQTT_URL: string | null }): string | null {
  const { MQTT_URL: url, MQTT_CA_FILE: ca, MQTT_CERT_FILE: cert, MQTT_KEY_FILE: key } = config;
  if (url === null) {
    return null;
  }
  const isAnyOverTls = isOverTls(url) || (config.AMQP_URL !== null && isAnyNodeOverTls(config.AMQP_URL));
  if (!isAnyOverTls && (ca !== null || cert !== null || key !== null)) {
    return 'MQTT_CA_FILE, MQTT_CERT_FILE and MQTT_KEY_FILE are of no use without TLS; let MQTT_URL begin with mqtts:// (AMQP_URL with amqps://), or unset them';
  }
  if ((cert === null) !== (key === null)) {
    return 'Only one of MQTT_CERT_FILE and MQTT_KEY_FILE is set; set both, or none';
  }
  return (
    faultOf('MQTT_CA_FILE', 'PEM certificates', () => ca !== null && new X509Certificate(ca)) ??
    faultOf('MQTT_CERT_FILE', 'PEM certificates', () => cert !== null && new X509Certificate(cert)) ??
    faultOf('MQTT_KEY_FILE', 'the PEM key of that certificate, without a passphrase', () =>
      createSecureContext({ ...(cert === null || key === null ? {} : { cert, key }) }),
    )
  );
}

export interface BrokerOptions
  extends Pick<
    SubscriberOptions,
    'place' | 'clientId' | 'protocolVersion' | 'shared' | 'sessions' | 'group'
  > {
  address: BrokerAddress;
  /** Null unless messages are taken from queues. */
  queues: QueueBroker | null;
}

/**
 * Options of the subscriber.
 *
 * @param port tells the processes of one machine apart, in the client id.
 */
export function brokerOptions(config: BrokerConfig & { MQTT_URL: string }, port: number): BrokerOptions {
  const address = brokerAddressOf(config);
  const queues = queuesOf(config);
  return {
    address,
    queues,
    place: placeOf(
      queues?.nodes[0] === undefined
        ? address
        : { host: queues.nodes[0].hostname, port: queues.nodes[0].port },
    ),
    clientId: config.MQTT_CLIENT_ID ?? `tagtrail-${hostname().replace(/[^A-Za-z0-9-]/g, '-')}-${port}`,
    protocolVersion: protocolVersionOf(config),
    shared: config.MQTT_SHARED,
    sessions: config.MQTT_SESSIONS,
    group: config.MQTT_SHARED_GROUP,
  };
}

export function brokerAddressOf(config: BrokerConfig & { MQTT_URL: string }): BrokerAddress {
  const { MQTT_URL, MQTT_CA_FILE: ca, MQTT_CERT_FILE: cert, MQTT_KEY_FILE: key } = config;
  return brokerAddress(MQTT_URL, { ca, cert, key });
}

export function protocolVersionOf(config: BrokerConfig): ProtocolVersion | null {
  return VERSIONS[config.MQTT_VERSION];
}

/** Null unless AMQP_URL is set. */
export function queuesOf(config: BrokerConfig): QueueBroker | null {
  const { AMQP_URL, MQTT_CA_FILE: ca, MQTT_CERT_FILE: cert, MQTT_KEY_FILE: key } = config;
  return AMQP_URL === null ? null : queueBroker(AMQP_URL, { ca, cert, key });
}

function placeOf({ host, port }: Pick<BrokerAddress, 'host' | 'port'>): string {
  return port === undefined ? String(host) : `${host}:${port}`;
}

const VERSIONS: Record<BrokerConfig['MQTT_VERSION'], ProtocolVersion | null> = {
  auto: null,
  '5': 5,
  '3.1.1': 4,
};

function queueSetting(): Setting<string | null> {
  return {
    purpose:
      'the nodes of RabbitMQ from whose queues to take what readers publish at MQTT_URL, with blanks between',
    initial: null,
    absent: null,
    remedy: 'addresses such as amqp://user:password@host:5672, with blanks between them',
    isSecret: true,
    read: (text) => (areQueueAddresses(text) ? text : undefined),
  };
}

function clientIdSetting(): Setting<string | null> {
  return {
    purpose:
      'the name of this process at the broker: lasting, and its own; by default the host name and a port',
    initial: null,
    absent: null,
    remedy: '1 to 100 letters, digits, dots, hyphens and underscores',
    read: (text) => (NAME.test(text) ? text : undefined),
  };
}

function groupSetting(): Setting<string> {
  return {
    ...textSetting(
      'the name under which the ingest processes of one database divide the readers of one broker',
      'tagtrail',
    ),
    remedy: '1 to 100 letters, digits, dots, hyphens and underscores, another for each database',
    read: (text) => (NAME.test(text) ? text : undefined),
  };
}

/** A topic level, so without slashes and wildcards. */
const NAME = /^[\w.-]{1,100}$/;

function faultOf(setting: string, expected: string, use: () => unknown): string | null {
  try {
    use();
    return null;
  } catch (error) {
    return `${setting} cannot be used (${messageOf(error)}); set ${setting} to a file with ${expected}`;
  }
}
