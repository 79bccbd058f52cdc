import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '../../../db/timescale/connections/client.ts';
import { withDatabase } from '../../../db/timescale/schema/create-database.ts';
import { EMBEDDED_DATABASE } from '../../standalone/database.ts';
import { examineAnswers } from './answers.ts';
import { examineBroker } from './broker.ts';
import { examineBrokerSessions } from './broker-sessions.ts';
import { connect, examineWay } from './connection.ts';
import { examineDisk } from './disk.ts';
import { examineEmbedded } from './embedded.ts';
import { type Finding, ok, warning } from './finding.ts';
import { examineHypertables } from './hypertables.ts';
import { examineOccupant } from './occupant.ts';
import { examineReaders } from './readers.ts';
import { examineRedis } from './redis.ts';
import { examineRejections } from './rejections.ts';
import { examineRoles, examineSchema } from './schema.ts';
import { examineSearch } from './search.ts';
import { examineSequences } from './sequences.ts';
import { examineServer } from './server.ts';
import { examineSettings } from './settings.ts';
import { examineSignIns } from './sign-ins.ts';

/**
 * Checks everything that tagtrail needs; starts nothing and changes nothing.
 *
 * @param now milliseconds since 1970, of this machine.
 */
export async function examine(environment: NodeJS.ProcessEnv, now: () => number): Promise<Finding[]> {
  const { config, findings } = examineSettings(environment);
  if (config === null) {
    return findings;
  }
  return [
    ok('program', `Node.js ${process.version}`),
    ...findings,
    ...(await examineStorage(config.DATABASE_URL, config.TAGTRAIL_DATA, now)),
    ...(await examineAnswers([
      { name: 'API', host: config.HOST, port: config.API_PORT },
      { name: 'handheld gateway', host: config.HOST, port: config.HANDHELD_PORT },
      { name: 'ingestion', host: config.HOST, port: config.INGEST_PORT },
    ])),
    ...(config.MQTT_URL === null ? [] : [await examineBroker(config.MQTT_URL)]),
    ...(config.REDIS_URL === null ? [] : [await examineRedis(config.REDIS_URL)]),
  ];
}

async function examineStorage(url: string | null, data: string, now: () => number): Promise<Finding[]> {
  if (url !== null) {
    return examineDatabase(url, now, []);
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
    ? [disk, ...(await examineDatabase(withDatabase(running, EMBEDDED_DATABASE), now, [examineOccupant]))]
    : [disk, running];
}

/**
 * Later checks rely on earlier ones.
 *
 * @param first checks that do not depend on the schema.
 */
async function examineDatabase(
  url: string,
  now: () => number,
  first: readonly ((client: Client) => Promise<Finding>)[],
): Promise<Finding[]> {
  const client = await connect(url);
  if (!(client instanceof Client)) {
    return [client];
  }
  try {
    const way = await examineWay(url);
    if (way.status !== 'ok') {
      return [way];
    }
    const server = [way, ...(await examineServer(client, now))];
    for (const examineFirst of first) {
      server.push(await examineFirst(client));
    }
    const schema = await examineSchema(client);
    if (schema.status !== 'ok') {
      return [...server, schema];
    }
    const roles = await examineRoles(client);
    if (roles.status !== 'ok') {
      return [...server, schema, roles];
    }
    return [
      ...server,
      schema,
      roles,
      await examineHypertables(client),
      await examineSearch(client),
      await examineSequences(client),
      ...(await examineReaders(client)),
      ...(await examineSignIns(client)),
      await examineRejections(client),
      await examineBrokerSessions(client),
    ];
  } finally {
    await client.end();
  }
}
