import { choiceSetting, optionalFile, textSetting } from '../../../../platform/runtime/setting-kinds.ts';
import type { Configuration, Setting } from '../../../../platform/runtime/settings.ts';

export const KAFKA_SETTINGS = {
  KAFKA_URL: urlSetting(),
  KAFKA_TOPICS: topicsSetting(),
  KAFKA_GROUP: textSetting('the consumer group of all ingest processes of one database at Kafka', 'tagtrail'),
  KAFKA_SASL: choiceSetting(
    'how the user of KAFKA_URL signs in',
    ['plain', 'scram-sha-256', 'scram-sha-512'],
    'plain',
  ),
  KAFKA_CA_FILE: optionalFile('certificates (PEM) of the authorities that vouch for the brokers of Kafka'),
};

export type KafkaConfig = Configuration<typeof KAFKA_SETTINGS>;

export interface KafkaAddress {
  brokers: readonly { host: string; port: number }[];
  topics: readonly string[];
  group: string;
  login: { mechanism: KafkaConfig['KAFKA_SASL']; username: string; password: string } | null;
  /** Null for plain TCP. */
  tls: { ca?: Buffer } | null;
}

export function faultOfKafka({ KAFKA_URL, KAFKA_TOPICS, KAFKA_CA_FILE }: KafkaConfig): string | null {
  if ((KAFKA_URL === null) !== (KAFKA_TOPICS.length === 0)) {
    return 'Only one of KAFKA_URL and KAFKA_TOPICS is set; set both, or none';
  }
  return KAFKA_CA_FILE !== null && !isOverTls(KAFKA_URL)
    ? 'KAFKA_CA_FILE is of no use without TLS; let KAFKA_URL begin with kafkas://, or unset it'
    : null;
}

/** Null unless KAFKA_URL is set. */
export function kafkaOf(config: KafkaConfig): KafkaAddress | null {
  const { KAFKA_URL: url, KAFKA_CA_FILE: ca } = config;
  if (url === null) {
    return null;
  }
  const urls = urlsIn(url);
  const { username, password } = urls.find((each) => each.username !== '') ?? { username: '', password: '' };
  return {
    brokers: urls.map(({ hostname, port }) => ({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: port === '' ? USUAL_PORT : Number(port),
    })),
    topics: config.KAFKA_TOPICS,
    group: config.KAFKA_GROUP,
    login:
      username === ''
        ? null
        : {
            mechanism: config.KAFKA_SASL,
            username: decodeURIComponent(username),
            password: decodeURIComponent(password),
          },
    tls: isOverTls(url) ? (ca === null ? {} : { ca }) : null,
  };
}

const USUAL_PORT = 9_092;

function urlsIn(text: string): URL[] {
  return text
    .split(/\s+/)
    .filter((url) => url !== '')
    .map((url) => new URL(url));
}

function isOverTls(text: string | null): boolean {
  return text !== null && urlsIn(text).every(({ protocol }) => protocol === 'kafkas:');
}

function urlSetting(): Setting<string | null> {
  return {
    purpose: 'brokers of Kafka from which to take records of readers, with blanks between',
    initial: null,
    absent: null,
    remedy: 'addresses such as kafka://user:password@host:9092, all with kafkas:// for TLS',
    isSecret: true,
    read: (text) => (areKafkaUrls(text) ? text : undefined),
  };
}

function areKafkaUrls(text: string): boolean {
  try {
    const urls = urlsIn(text);
    const protocols = new Set(urls.map(({ protocol }) => protocol));
    decodeURIComponent(urls.map(({ username, password }) => username + password).join(''));
    return (
      protocols.size === 1 &&
      ['kafka:', 'kafkas:'].includes([...protocols].join()) &&
      urls.every(({ hostname }) => hostname !== '')
    );
  } catch {
    return false;
  }
}

function topicsSetting(): Setting<readonly string[]> {
  return {
    purpose: 'the topics of Kafka to take, with commas between',
    initial: null,
    absent: [],
    remedy: 'names of topics (letters, digits, dots, hyphens, underscores) with commas between',
    read: (text) => {
      const names = text.split(',').map((name) => name.trim());
      return names.every((name) => TOPIC.test(name)) ? names : undefined;
    },
  };
}

const TOPIC = /^[\w.-]{1,249}$/;
