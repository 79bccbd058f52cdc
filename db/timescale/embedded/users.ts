import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { ADVISORY_LOCKS } from '../connections/advisory-locks.ts';
import { Client } from '../connections/client.ts';
import { connectionConfig } from '../connections/connection.ts';
import { isHeldAnywhere } from '../connections/held-lock.ts';
import { readPostmaster } from './postmaster.ts';

/**
 * Reference count of an embedded server shared by any number of processes; the last to leave stops it. Each
 * user holds a lock of the server in shared mode; a killed process loses its connection, and the lock with
 * it.
 *
 * 1. To leave, a process releases its share and tries the exclusive lock without waiting. If that fails it is
 *   not the last.
 * 2. If it succeeds it stops the server while holding the lock, so that processes joining in the meantime
 *   wait and see the server go.
 * 3. A process has joined when it holds its share and the server then accepts another connection: a stopping
 *   one accepts none, and none is stopped while a share is held.
 *
 * A running `npm start` of a version without shares occupies the data folder, which counts as one.
 */
export interface Membership {
  leave(): Promise<void>;
}

/**
 * Joins the users of the server at `url`, whose cluster is in the folder `cluster`.
 *
 * @returns null if it cannot be reached or is being stopped.
 */
export async function joinServer(url: string, cluster: string): Promise<Membership | null> {
  const client = await connectTo(url);
  if (client === null) {
    return null;
  }
  try {
    await client.query('select pg_advisory_lock_shared($1)', [ADVISORY_LOCKS.use]);
  } catch {
    await client.end();
    return null;
  }
  const witness = await connectTo(url);
  if (witness === null) {
    await client.end();
    return null;
  }
  await witness.end();
  return { leave: () => leave(client, cluster) };
}

async function leave(client: pg.Client, cluster: string): Promise<void> {
  try {
    if (await isLast(client)) {
      await stopServer(cluster);
    }
  } finally {
    await client.end();
  }
}

/** False also if the server is gone already. */
async function isLast(client: pg.Client): Promise<boolean> {
  try {
    await client.query('select pg_advisory_unlock_shared($1)', [ADVISORY_LOCKS.use]);
    const { rows } = await client.query<{ is_last: boolean }>('select pg_try_advisory_lock($1) as is_last', [
      ADVISORY_LOCKS.use,
    ]);
    return rows[0]?.is_last === true && !(await isHeldAnywhere(client, ADVISORY_LOCKS.occupation));
  } catch {
    return false;
  }
}

/**
 * A fast shutdown: rolls back pending work and keeps committed data. This process sends the signal itself,
 * because `pg_ctl` would still send it after this process, killed in between, has lost the lock.
 */
async function stopServer(cluster: string): Promise<void> {
  const postmaster = readPostmaster(cluster);
  if (postmaster?.isAlive !== true) {
    return;
  }
  const { pid } = postmaster;
  process.kill(pid, 'SIGINT');
  for (let now = readPostmaster(cluster); now?.pid === pid && now.isAlive; now = readPostmaster(cluster)) {
    await pause(10);
  }
}

async function connectTo(url: string): Promise<pg.Client | null> {
  const client = new Client(connectionConfig(url, 'tagtrail use'));
  try {
    await client.connect();
    return client;
  } catch {
    return null;
  }
}
