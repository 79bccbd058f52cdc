import { existsSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { version as nodeVersion } from 'node:process';
import { createClient } from '@redis/client';
import { AppError, messageOf } from '../../../base/errors.ts';
import { MICROS_PER_DAY } from '../../../base/instant.ts';
import { START, TAGTRAIL } from '../../../base/typed-command.ts';
import { addressesOf } from '../../../db/timescale/connections/addresses.ts';
import { ADVISORY_LOCKS, isHeldAnywhere } from '../../../db/timescale/connections/advisory-locks.ts';
import { Client } from '../../../db/timescale/connections/client.ts';
import { withDatabase } from '../../../db/timescale/connections/database-url.ts';
import { embeddedPostmaster, runningEmbeddedUrl } from '../../../db/timescale/embedded/server.ts';
import { findSearchIndexes } from '../../../db/timescale/schema/search-indexes.ts';
import type { PublishedAt } from '../../../domain/administration/readers/published-topics.ts';
import { examineAlerts } from '../../../domain/health/alerts.ts';
import { examineBrokerSessions } from '../../../domain/health/broker-sessions.ts';
import { examineCellMoves } from '../../../domain/health/cell-moves.ts';
import { type Finding, fault, ok, warning } from '../../../domain/health/finding.ts';
import { examineJobs } from '../../../domain/health/jobs.ts';
import { examineLocating } from '../../../domain/health/locating.ts';
import { examineMail } from '../../../domain/health/mail.ts';
import { examineMoveFeed } from '../../../domain/health/move-feed.ts';
import { examinePlans } from '../../../domain/health/plans.ts';
import {
  examinePublishedTopics,
  examineReaders,
  examineRejections,
  examineSilences,
} from '../../../domain/health/readers.ts';
import { examineHypertables, examineSequences, examineServer } from '../../../domain/health/server.ts';
import { examineSignIns } from '../../../domain/health/sign-ins.ts';
import { examineStoredAhead } from '../../../domain/health/stored-ahead.ts';
import { examineTags } from '../../../domain/health/tags.ts';
import { examineWebhooks } from '../../../domain/health/webhooks.ts';
import { readSettings } from '../../../platform/runtime/settings.ts';
import { readTlsFiles, type TlsFiles } from '../../../platform/runtime/tls-files.ts';
import { INGEST_SETTINGS } from '../../mqtt-ingest/config.ts';
import { kafkaOf, queuesOf } from '../../mqtt-ingest/entry.ts';
import { readStandaloneConfig, STANDALONE_SETTINGS, type StandaloneConfig } from '../../standalone/config.ts';
import { EMBEDDED_DATABASE } from '../../standalone/database.ts';
import { WORKER_SETTINGS } from '../../worker/config.ts';
import { toPublishedAt } from '../parts/published-at.ts';
import { examineAnswers, type Listener } from './answers.ts';
import { examineBroker, examineKafka, examineQueues } from './broker.ts';
import {
  connect,
  examineConnections,
  examineMigrating,
  examineOtherInstallations,
  examineReadUrl,
  examineRoles,
  examineSchema,
  examineServers,
} from './database.ts';
import { examinePublishedMoves } from './published-moves.ts';

/**
 * Checks every dependency and setting; starts nothing and changes nothing.
 *
 * @param now milliseconds since 1970, of this machine.
 */
export async function examine(environment: NodeJS.ProcessEnv, now: () => number): Promise<Finding[]> {
  const { config, findings } = examineSettings(environment);
  if (config === null) {
    return findings;
  }
  return [
    ok('program', `Node.js ${nodeVersion}`),
    ...findings,
    ...(await examineStorage(config, now)),
    ...(await examineReplicaOf(config)),
    ...examineCertificate(config, now()),
    ...(await examineAnswers(listenersOf(config))),
    ...(config.MQTT_URL === null ? [] : [await examineBroker(config.MQTT_URL)]),
    ...(await examineQueuesOf(config)),
    ...(await examineKafkaOf(config)),
    ...(config.REDIS_URL === null ? [] : [await examineRedis(config.REDIS_URL)]),
  ];
}

async function examineReplicaOf({
  DATABASE_URL: url,
  DATABASE_READ_URL: readUrl,
}: DoctorConfig): Promise<Finding[]> {
  return url === null || readUrl === null ? [] : [await examineReadUrl(url, readUrl)];
}

async function examineQueuesOf(config: DoctorConfig): Promise<Finding[]> {
  const queues = queuesOf(config);
  return queues === null ? [] : [await examineQueues(queues)];
}

async function examineKafkaOf(config: DoctorConfig): Promise<Finding[]> {
  const address = kafkaOf(config);
  return address === null ? [] : [await examineKafka(address)];
}

function listenersOf(config: DoctorConfig): Listener[] {
  const here = { host: config.HOST, isOverTls: config.TLS_CERT_FILE !== null };
  return [
    { name: 'API', ...here, port: config.API_PORT },
    { name: 'handheld gateway', ...here, port: config.HANDHELD_PORT },
    { name: 'console', ...here, port: config.CONSOLE_PORT },
    { name: 'ingestion', ...here, port: config.INGEST_PORT },
    { name: 'worker', ...here, port: config.WORKER_PORT },
  ];
}

async function examineStorage(config: DoctorConfig, now: () => number): Promise<Finding[]> {
  const { DATABASE_URL: url, TAGTRAIL_DATA: data } = config;
  const configured = toPublishedAt(config);
  if (url !== null) {
    const { MIGRATE_DATABASE_URL: migrateUrl } = config;
    const first = migrateUrl === null ? [] : [(client: Client) => examineMigrating(client, migrateUrl)];
    return examineDatabase(url, now, { first, isShared: true, configured });
  }
  if (!existsSync(join(data, 'postgres'))) {
    return [
      warning(
        'database',
        `DATABASE_URL is not set, and there is no embedded database in ${data}`,
        `${START} makes one; or set DATABASE_URL, or TAGTRAIL_DATA`,
      ),
    ];
  }
  const disk = examineDisk(data);
  const running = examineEmbedded(data);
  return typeof running === 'string'
    ? [
        disk,
        ...(await examineDatabase(withDatabase(running, EMBEDDED_DATABASE), now, {
          first: [examineOccupant],
          isShared: false,
          configured,
        })),
      ]
    : [disk, running];
}

/**
 * Later checks rely on earlier ones.
 *
 * @param first checks that do not depend on the schema.
 * @param isShared whether others than this installation may use the server.
 * @param configured where this environment publishes moves.
 */
async function examineDatabase(
  url: string,
  now: () => number,
  {
    first,
    isShared,
    configured,
  }: {
    first: readonly ((client: Client) => Promise<Finding>)[];
    isShared: boolean;
    configured: PublishedAt | null;
  },
): Promise<Finding[]> {
  const client = await connect(url);
  if (!(client instanceof Client)) {
    return [client];
  }
  try {
    const servers = await examineServers(url);
    const way = await examineConnections(url);
    if (way.status !== 'ok') {
      return [...servers, way];
    }
    const server = [...servers, way, ...(await examineServer(client, now))];
    for (const examineFirst of first) {
      server.push(await examineFirst(client));
    }
    const schema = await examineSchema(client);
    if (schema.status !== 'ok') {
      return [...server, schema];
    }
    const roles = await examineRoles(client, {
      setting: addressesOf(url).pooled === null ? 'DATABASE_URL' : 'LISTEN_DATABASE_URL',
      isShared,
    });
    if (roles.status === 'fault') {
      return [...server, schema, roles];
    }
    return [...server, schema, roles, ...(await examineContents(client, configured))];
  } finally {
    await client.end();
  }
}

async function examineContents(client: Client, configured: PublishedAt | null): Promise<Finding[]> {
  return [
    ...(await examineOtherInstallations(client)),
    await examineHypertables(client),
    await examineSearch(client),
    await examineSequences(client),
    await examineStoredAhead(client),
    await examineJobs(client),
    ...(await examineMoveFeed(client)),
    ...(await examineWebhooks(client)),
    ...(await examineMail(client)),
    ...(await examinePublishedMoves(client, configured)),
    ...(await examineReaders(client)),
    ...(await examineSilences(client)),
    ...(await examinePublishedTopics(client, configured)),
    ...(await examineAlerts(client)),
    ...(await examineTags(client)),
    ...(await examineLocating(client)),
    ...(await examinePlans(client)),
    ...(await examineSignIns(client)),
    await examineRejections(client),
    await examineBrokerSessions(client),
    ...(await examineCellMoves(client)),
  ];
}

/** Days before its end from which a certificate is warned of. */
const SOON = 14;

/** @param now milliseconds since 1970. */
function examineCertificate(files: TlsFiles, now: number): Finding[] {
  const material = readTlsFiles(files);
  if (material === null) {
    return [];
  }
  const days = Math.floor((material.expiresAt - now) / (MICROS_PER_DAY / 1_000));
  const until = new Date(material.expiresAt).toISOString().slice(0, 10);
  const remedy = 'Renew it and replace both files; running processes take up the new one by themselves';
  if (days < 0) {
    return [fault('certificate', `The certificate of TLS_CERT_FILE expired on ${until}`, remedy)];
  }
  const message = `The certificate of TLS_CERT_FILE is good until ${until}`;
  return [days < SOON ? warning('certificate', message, remedy) : ok('certificate', message)];
}

/** Bytes. */
const FAULT_BELOW = 256 * 1024 ** 2;
const WARNING_BELOW = 2 * 1024 ** 3;

/** Checks room on the embedded database's disk. @param free bytes. */
export function examineDisk(folder: string, free = freeOn(folder)): Finding {
  const message = `${(free / 1024 ** 3).toFixed(1)} GiB are free where ${folder} is`;
  const remedy = 'Make room: with a full disk nothing is recorded, and readers keep what they have';
  if (free >= WARNING_BELOW) {
    return ok('disk', message);
  }
  return free >= FAULT_BELOW ? warning('disk', message, remedy) : fault('disk', message, remedy);
}

function freeOn(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** The URL of the embedded server in the data folder, or the reason it is not running. Never starts it. */
function examineEmbedded(data: string): string | Finding {
  const url = runningEmbeddedUrl(data);
  if (url !== null) {
    return url;
  }
  return embeddedPostmaster(data) === null
    ? fault(
        'database',
        `The embedded database in ${data} is not running: nothing is recorded, and nothing is answered`,
        `Start everything: ${START}`,
      )
    : fault(
        'database',
        `The embedded database in ${data} has died: it is not running, and was not stopped in order`,
        `Stop ${START} if it runs still, and start it again; it recovers what was committed. ${data}/postgres/server.log tells why it died`,
      );
}

/** Distinguishes an embedded database that serves `npm start` from one left behind by a killed one. */
async function examineOccupant(client: Client): Promise<Finding> {
  return (await isHeldAnywhere(client, ADVISORY_LOCKS.occupation))
    ? ok(START, 'It runs, with the embedded database')
    : fault(
        START,
        `The embedded database runs, but ${START} does not: nothing is recorded, and nothing is answered`,
        `Start everything: ${START}; it takes over the database, with all that was committed`,
      );
}

/** Milliseconds. */
const PATIENCE = 5_000;

async function examineRedis(url: string): Promise<Finding> {
  const { host } = new URL(url);
  const client = createClient({
    url,
    socket: { connectTimeout: PATIENCE, reconnectStrategy: false },
    disableOfflineQueue: true,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.ping();
    return ok('rate limits', `Shared through ${host}`);
  } catch (error) {
    return warning(
      'rate limits',
      `${host} cannot be reached, so that every API process counts alone: ${messageOf(error)}`,
      'Start Redis or Valkey, or correct REDIS_URL',
    );
  } finally {
    client.destroy();
  }
}

/**
 * Checks the indexes of searches (`q`); a migration leaves them out if an extension is missing or may not be
 * created.
 */
async function examineSearch(client: Client): Promise<Finding> {
  const { hasExtensions, missing } = await findSearchIndexes(client);
  if (missing.length === 0) {
    return ok('search', 'Searches use an index');
  }
  return hasExtensions
    ? warning(
        'search',
        `Searches (q) read every row of the organization: ${missing.join(', ')} not built to the end`,
        `Wait, if it is being built now; else \`${TAGTRAIL} migrate\` builds it while others go on writing`,
      )
    : warning(
        'search',
        'Searches (q) read every asset of the organization: the extensions pg_trgm and btree_gin are not there',
        'Install postgresql-contrib, and as a superuser in this database: ' +
          `create extension pg_trgm; create extension btree_gin; then ${TAGTRAIL} migrate builds the indexes.`,
      );
}

type DoctorConfig = StandaloneConfig & { INGEST_PORT: number; WORKER_PORT: number };

/** Null if settings are unusable: then nothing else can be checked. */
function examineSettings(environment: NodeJS.ProcessEnv): {
  config: DoctorConfig | null;
  findings: Finding[];
} {
  try {
    const { INGEST_PORT } = INGEST_SETTINGS;
    const { WORKER_PORT } = WORKER_SETTINGS;
    const config = {
      ...readStandaloneConfig(environment),
      ...readSettings({ INGEST_PORT, WORKER_PORT }, environment),
    };
    const given = Object.keys(STANDALONE_SETTINGS).filter((name) => (environment[name] ?? '') !== '');
    const set = given.length === 0 ? 'all at their defaults' : `${given.join(', ')} set`;
    return { config, findings: [ok('settings', `Usable, ${set}`)] };
  } catch (error) {
    if (!(error instanceof AppError)) {
      throw error;
    }
    // Each line has the fault and, after the first semicolon, the remedy.
    const findings = error.message.split('\n').map((line) => {
      const [what = '', ...todo] = line.split('; ');
      return fault('settings', what, todo.join('; '));
    });
    return { config: null, findings };
  }
}
