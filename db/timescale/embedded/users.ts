import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { ADVISORY_LOCKS } from '../connections/advisory-locks.ts';
import { connectionConfig } from '../connections/connection.ts';
import { isHeldAnywhere } from '../connections/held-lock.ts';
import { readPostmaster } from './postmaster.ts';

/**
 * Any number of processes share one embedded server, and the last to leave stops it. Each holds a lock of the server in
 * shared mode for as long as it uses it; a process that is killed loses its connection, and with it the lock.
 *
 * 1. Who leaves gives up its share and asks for the whole lock, without waiting. Who does not get it is not the last.
 * 2. Who gets it stops the server while holding it, so that whoever joins meanwhile waits, and sees the server go.
 * 3. Who joins has joined when it holds its share and the server then lets in another connection: one that is being
 *    stopped lets in nobody, and none is stopped while somebody holds a share.
 *
 * A running `npm start` of a version that knew no shares occupies the data folder, and that counts as one.
 */
export interface Membership {
  /** Stops the server, unless somebody else uses it. */
  leave(): Promise<void>;
}

/**
 * Joins those who use the server at `url`, whose cluster is in the folder `cluster`.
 *
 * @returns null if it cannot be reached, or is being stopped.
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

/** False also where the server is gone already. */
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
 * A fast shutdown: what is under way is rolled back, what is committed is kept. The signal is sent by this process and
 * not by `pg_ctl`, which would send it when this process, killed meanwhile, no longer holds the lock.
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
  const client = new pg.Client(connectionConfig(url, 'tagtrail use'));
  // A connection that is lost shows in the query that is under way, or in the next.
  client.on('error', () => {});
  try {
    await client.connect();
    return client;
  } catch {
    return null;
  }
}
