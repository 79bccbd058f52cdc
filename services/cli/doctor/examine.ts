import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { version as nodeVersion } from 'node:process';
import { addressesOf } from '../../../db/timescale/connections/addresses.ts';
import { Client } from '../../../db/timescale/connections/client.ts';
import { withDatabase } from '../../../db/timescale/connections/database-url.ts';
import type { PublishedAt } from '../../../domain/administration/readers/published-topics.ts';
import { examineAlerts } from '../../../domain/health/alerts.ts';
import { examineBrokerSessions } from '../../../domain/health/broker-sessions.ts';
import { examineCellMoves } from '../../../domain/health/cell-moves.ts';
import { type Finding, ok, warning } from '../../../domain/health/finding.ts';
import { examineHypertables } from '../../../domain/health/hypertables.ts';
import { examineMail } from '../../../domain/health/mail.ts';
import { examineMoveFeed } from '../../../domain/health/move-feed.ts';
import { examinePublishedTopics } from '../../../domain/health/published-topics.ts';
import { examineReaders } from '../../../domain/health/readers.ts';
import { examineRejections } from '../../../domain/health/rejections.ts';
import { examineSequences } from '../../../domain/health/sequences.ts';
import { examineServer } from '../../../domain/health/server.ts';
import { examineSignIns } from '../../../domain/health/sign-ins.ts';
import { examineSilences } from '../../../domain/health/silences.ts';
import { examineStoredAhead } from '../../../domain/health/stored-ahead.ts';
import { examineWebhooks } from '../../../domain/health/webhooks.ts';
import { queuesOf } from '../../mqtt-ingest/entry.ts';
import { EMBEDDED_DATABASE } from '../../standalone/database.ts';
import { toPublishedAt } from '../parts/published-at.ts';
import { examineAnswers, type Listener } from './answers.ts';
import { examineBroker } from './broker.ts';
import { examineCertificate } from './certificate.ts';
import { connect, examineConnections, examineMigrating } from './connection.ts';
import { examineDisk } from './disk.ts';
import { examineEmbedded } from './embedded.ts';
import { examineOccupant } from './occupant.ts';
import { examineOtherInstallations } from './other-installations.ts';
import { examinePublishedMoves } from './published-moves.ts';
import { examineQueues } from './queues.ts';
import { examineRedis } from './redis.ts';
import { examineReadUrl } from './replica.ts';
import { examineRoles, examineSchema } from './schema.ts';
import { examineSearch } from './search.ts';
import { examineServers } from './servers.ts';
import { type DoctorConfig, examineSettings } from './settings.ts';

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

function listenersOf(config: DoctorConfig): Listener[] {
  const here = { host: config.HOST, isOverTls: config.TLS_CERT_FILE !== null };
  return [
    { name: 'API', ...here, port: config.API_PORT },
    { name: 'handheld gateway', ...here, port: config.HANDHELD_PORT },
    { name: 'console', ...here, port: config.CONSOLE_PORT },
    { name: 'ingestion', ...here, port: config.INGEST_PORT },
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
        'npm start makes one; or set DATABASE_URL, or TAGTRAIL_DATA',
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
 * @param configured where moves are to be published.
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
    return [
      ...server,
      schema,
      roles,
      ...(await examineOtherInstallations(client)),
      await examineHypertables(client),
      await examineSearch(client),
      await examineSequences(client),
      await examineStoredAhead(client),
      ...(await examineMoveFeed(client)),
      ...(await examineWebhooks(client)),
      ...(await examineMail(client)),
      ...(await examinePublishedMoves(client, configured)),
      ...(await examineReaders(client)),
      ...(await examineSilences(client)),
      ...(await examinePublishedTopics(client, configured)),
      ...(await examineAlerts(client)),
      ...(await examineSignIns(client)),
      await examineRejections(client),
      await examineBrokerSessions(client),
      ...(await examineCellMoves(client)),
    ];
  } finally {
    await client.end();
  }
}
