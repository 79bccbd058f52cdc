import { randomBytes } from 'node:crypto';
import { messageOf } from '../../../base/errors.ts';
import { Client } from './client.ts';
import { connectionConfig, sessionSettings } from './connection.ts';
import { isConnectionLost, thrownByPg } from './connection-lost.ts';
import { faultOfOptions, faultOfSession, isRefusedStart } from './direct-connection.ts';
import { ORGANIZATION_ROLE } from './organization-role.ts';
import {
  ASK_PRIMARY,
  askReplica,
  faultOfReplica,
  type PrimaryPosition,
  type ReplicaPosition,
} from './replica-position.ts';
import { asOptions } from './session-settings.ts';

/** Milliseconds to connect, and for an answer: nothing depends on the replica. */
const PATIENCE = 2_000;

/** The state of a replica: its lag, or its fault, permanent or temporary. */
export type ReplicaFinding =
  | { state: 'usable'; bytesBehind: number; clockAhead: Between }
  | { state: 'unavailable'; fault: string }
  | { state: 'unusable'; fault: string };

/** Milliseconds; it was measured over two connections. */
interface Between {
  least: number;
  most: number;
}

interface Asked {
  position: PrimaryPosition;
  /** By `performance.now()`, before and after. */
  at: Between;
}

/** @throws the connection's error if the primary cannot be reached. */
export async function examineReplica(url: string, readUrl: string): Promise<ReplicaFinding> {
  const mark = randomBytes(8).toString('hex');
  const options = asOptions({ ...sessionSettings(ORGANIZATION_ROLE), 'tagtrail.start': mark });
  const patience = { connectionTimeoutMillis: PATIENCE, query_timeout: PATIENCE };
  const primary = new Client({ ...connectionConfig(url, 'tagtrail start'), query_timeout: PATIENCE });
  const [own, other] = [0, 1].map(
    () => new Client({ ...connectionConfig(readUrl, 'tagtrail start'), ...patience, options }),
  ) as [Client, Client];
  const clients = [primary, own, other];
  try {
    await primary.connect();
    const least = performance.now();
    const { rows } = await primary.query<PrimaryPosition>(ASK_PRIMARY);
    const [position] = rows as [PrimaryPosition];
    const asked = { position, at: { least, most: performance.now() } };
    return await look(own, other, mark, asked).catch((error): ReplicaFinding => {
      const isPassing = isConnectionLost(thrownByPg(error)) && !isRefusedStart(error);
      return { state: isPassing ? 'unavailable' : 'unusable', fault: messageOf(error) };
    });
  } finally {
    for (const client of clients) {
      client.connection.stream.destroy();
    }
  }
}

async function look(
  own: Client,
  other: Client,
  mark: string,
  { position, at }: Asked,
): Promise<ReplicaFinding> {
  await Promise.all([own.connect(), other.connect()]);
  const since = performance.now();
  const { rows } = await own.query<ReplicaPosition>(askReplica(position.lsn));
  const [replica] = rows as [ReplicaPosition];
  const ahead = replica.now - position.now;
  const clockAhead = { least: ahead - (performance.now() - at.least), most: ahead - (since - at.most) };
  const fault =
    (await faultOfOptions(own, mark, ORGANIZATION_ROLE)) ??
    (await faultOfSession(own, other, mark)) ??
    faultOfReplica(replica, position, ORGANIZATION_ROLE);
  if (fault !== null) {
    return { state: 'unusable', fault };
  }
  if (!replica.is_standby) {
    return { state: 'unavailable', fault: 'it is no standby' };
  }
  if (replica.timeline !== position.timeline) {
    return { state: 'unavailable', fault: 'it has not followed the primary of the last failover yet' };
  }
  return { state: 'usable', bytesBehind: Math.max(0, replica.behind ?? 0), clockAhead };
}
