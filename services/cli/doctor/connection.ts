import { randomBytes } from 'node:crypto';
import { AppError, messageOf } from '../../../base/errors.ts';
import { addressesOf } from '../../../db/timescale/connections/addresses.ts';
import { Client } from '../../../db/timescale/connections/client.ts';
import { connectionConfig } from '../../../db/timescale/connections/connection.ts';
import { placeOf } from '../../../db/timescale/connections/database-url.ts';
import {
  faultOfConnections,
  faultOfNotifications,
} from '../../../db/timescale/connections/direct-connection.ts';
import { faultOfPooler } from '../../../db/timescale/connections/faulty-pooler.ts';
import { type Finding, fault, ok } from '../../../domain/health/finding.ts';
import { requireReachable } from '../../../platform/runtime/database.ts';
import { remedyOfConnection } from '../connections/connection-remedies.ts';

export async function connect(url: string): Promise<Client | Finding> {
  const client = new Client(connectionConfig(url, 'tagtrail doctor'));
  try {
    await client.connect();
    return client;
  } catch (error) {
    const message = `The database at ${placeOf(url)} cannot be used: ${messageOf(error)}`;
    return fault('database', message, remedyOfConnection(error, 'DATABASE_URL'));
  }
}

/** The way of migrations, by an address of its own. @param client leads to the database of processes. */
export async function examineMigrating(client: Client, url: string): Promise<Finding> {
  const check = 'way of migrations';
  const owner = new Client(connectionConfig(url, 'tagtrail doctor'));
  try {
    await requireReachable(url, undefined, 'MIGRATE_DATABASE_URL');
    await owner.connect();
    if ((await faultOfNotifications(owner, client, randomBytes(8).toString('hex'))) !== null) {
      return fault(
        check,
        `MIGRATE_DATABASE_URL leads to another database (${placeOf(url)})`,
        'Let it lead to the database of DATABASE_URL, as the owner of its tables',
      );
    }
    return ok(check, 'It leads to the same database');
  } catch (error) {
    if (!(error instanceof AppError)) {
      throw error;
    }
    const [message = '', remedy] = error.message.split('; let it ');
    return fault(
      check,
      message,
      remedy === undefined
        ? remedyOfConnection(error.cause, 'MIGRATE_DATABASE_URL')
        : `Let it ${remedy}: migrations hold a lock for longer than a transaction`,
    );
  } finally {
    await owner.end();
  }
}

export async function examineConnections(url: string): Promise<Finding> {
  const { pooled } = addressesOf(url);
  const setting = pooled === null ? 'DATABASE_URL' : 'LISTEN_DATABASE_URL';
  const wrong = await faultOfConnections(url);
  if (wrong !== null) {
    return fault(
      'way to the database',
      `${setting} leads through a connection pooler: ${wrong}`,
      'Let LISTEN_DATABASE_URL lead to PostgreSQL itself',
    );
  }
  const unusable = pooled === null ? null : await faultOfPooler(url).catch(messageOf);
  return unusable === null
    ? ok(
        'way to the database',
        pooled === null ? 'It leads to PostgreSQL itself' : 'It leads through a pooler',
      )
    : fault(
        'way to the database',
        `DATABASE_URL leads through a pooler that cannot be used: ${unusable}`,
        'Let DATABASE_URL lead through a pooler in transaction mode, or to PostgreSQL itself',
      );
}
