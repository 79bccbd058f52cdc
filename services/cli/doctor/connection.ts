import { messageOf } from '../../../base/errors.ts';
import { addressesOf } from '../../../db/timescale/connections/addresses.ts';
import { DIVIDED } from '../../../db/timescale/connections/choose-primary.ts';
import { Client } from '../../../db/timescale/connections/client.ts';
import { connectionConfig } from '../../../db/timescale/connections/connection.ts';
import { placeOf } from '../../../db/timescale/connections/database-url.ts';
import { faultOfConnections } from '../../../db/timescale/connections/direct-connection.ts';
import { faultOfPooler } from '../../../db/timescale/connections/faulty-pooler.ts';
import { NONE_WANTED } from '../../../db/timescale/connections/servers.ts';
import { type Finding, fault, ok } from '../../../domain/health/finding.ts';

export async function connect(url: string): Promise<Client | Finding> {
  const client = new Client(connectionConfig(url, 'tagtrail doctor'));
  try {
    await client.connect();
    return client;
  } catch (error) {
    const message = `The database at ${placeOf(url)} cannot be used: ${messageOf(error)}`;
    return fault('database', message, REMEDIES[codeOf(error)] ?? 'Correct DATABASE_URL');
  }
}

const REMEDIES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Start PostgreSQL, or correct the host and port in DATABASE_URL',
  ENOTFOUND: 'Correct the host in DATABASE_URL',
  EAI_AGAIN: 'Correct the host in DATABASE_URL, or mend name resolution',
  ETIMEDOUT: 'Correct the host in DATABASE_URL, or let the firewall pass its port',
  '28P01': 'Correct the user and password in DATABASE_URL',
  '28000': 'Let this user in by pg_hba.conf, or correct the user in DATABASE_URL',
  '3D000': 'Create the database, or correct its name in DATABASE_URL',
  '08P01': 'Let LISTEN_DATABASE_URL lead to PostgreSQL itself, not to a connection pooler',
  '53300': 'Raise max_connections, or end connections that are not needed',
  '57P03': 'Wait until PostgreSQL has started',
  [NONE_WANTED]: 'Start the primary, or promote one of its standbys; or correct DATABASE_URL',
  [DIVIDED]: 'Stop the one that is not to be used, and make it a standby (pg_rewind)',
};

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

function codeOf(error: unknown): string {
  const cause = error instanceof AggregateError ? error.errors[0] : error;
  return String((cause as { code?: unknown } | null)?.code ?? '');
}
