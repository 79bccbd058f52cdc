import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { ADVISORY_LOCKS } from './advisory-locks.ts';
import { holdersOf } from './blockers.ts';
import { Client, type Pool, type PoolClient } from './client.ts';
import { connectionConfig } from './connection.ts';
import { asOptions, type SessionSettings } from './session-settings.ts';

export type ElectionLock = (typeof ADVISORY_LOCKS)[keyof typeof ADVISORY_LOCKS];

export interface Election {
  /** The session's name at the server. */
  name: string;
  signal?: AbortSignal | undefined;
  /** Called once if another session holds the lock. @param who holds it. */
  onWaiting?: ((who: string) => void) | undefined;
  /** Milliseconds between attempts. */
  every?: number;
  /** Gives up after the first attempt. */
  isOnce?: boolean;
  /** Milliseconds after which the server cancels a statement; null for never. */
  patience?: number | null;
  /** Milliseconds of silence after which the server ends the session; null for never. */
  silence?: number | null;
  settings?: SessionSettings;
}

/** The only process that does something. Its work runs on the connection that holds the lock. */
export interface Elected {
  client: Client;
  /** The same connection, for work in transactions. One user at a time. */
  pool: Pool;
  /** Aborts when the connection, and so the lock, is lost. */
  lost: AbortSignal;
  leave(): Promise<void>;
}

/**
 * Makes this process the only one of a database that does something: waits for an advisory lock and keeps it for as long as
 * its connection lasts. A process that has lost the lock can write nothing on that connection any more.
 *
 * The lock of a process that was killed is free at once. If a process hangs, or its machine has vanished, the server ends
 * its session after a few seconds of silence; a heartbeat keeps that of a healthy one. Another process then takes over
 * within {@link EVERY}.
 *
 * Waiting polls: a statement that blocked would delay concurrent index builds, which wait for all older statements.
 *
 * @param url of PostgreSQL itself: a pooler would lend the session, and the lock with it, to others.
 * @returns null if the signal was aborted before, or if another process has the lock and this is not to wait.
 * @throws the connection's error.
 */
export async function elect(url: string, lock: ElectionLock, election: Election): Promise<Elected | null> {
  const { patience = null, silence = SILENCE, settings = {} } = election;
  const config = connectionConfig(url, election.name);
  const client = new Client({
    ...config,
    // The heartbeat does not wait for what is under way.
    pipeline: true,
    options: `${config.options} ${asOptions({
      ...(silence === null ? {} : { idle_session_timeout: String(silence) }),
      ...(silence === null ? {} : { idle_in_transaction_session_timeout: String(IN_TRANSACTION) }),
      ...(patience === null ? {} : { statement_timeout: String(patience) }),
      ...settings,
    })}`,
  });
  const lost = new AbortController();
  client.once('error', (error) => lost.abort(error));
  client.once('end', () => lost.abort(new Error('the database ended the connection')));
  try {
    await client.connect();
    if (await acquire(client, lock, election)) {
      const beat = silence === null ? undefined : keepAlive(client, lost, patience);
      return {
        ...{ client, pool: asPool(client), lost: lost.signal },
        leave: async () => {
          clearInterval(beat);
          await depart(client, lost.signal);
        },
      };
    }
  } catch (error) {
    await depart(client, lost.signal);
    throw error;
  }
  await depart(client, lost.signal);
  return null;
}

/**
 * Does `work` as the only process, see {@link elect}.
 *
 * @returns null if it was not elected.
 */
export async function whileElected<Result>(
  url: string,
  lock: ElectionLock,
  election: Election,
  work: (elected: Elected) => Promise<Result>,
): Promise<Result | null> {
  const elected = await elect(url, lock, election);
  if (elected === null) {
    return null;
  }
  try {
    return await work(elected);
  } finally {
    await elected.leave();
  }
}

async function acquire(
  client: Client,
  lock: ElectionLock,
  { signal, onWaiting, every = EVERY, isOnce = false }: Election,
): Promise<boolean> {
  for (let attempt = 1; signal?.aborted !== true; attempt++) {
    const { rows } = await client.query<{ is_mine: boolean }>('select pg_try_advisory_lock($1) as is_mine', [
      lock,
    ]);
    if (rows[0]?.is_mine === true) {
      return true;
    }
    if (isOnce) {
      return false;
    }
    if (attempt === 1) {
      onWaiting?.((await holdersOf(client, lock)) || 'which has just ended');
    }
    await pause(every, undefined, { signal }).catch(() => {});
  }
  return false;
}

/** Keeps the session from being ended for silence, and notices when the server is silent. */
function keepAlive(client: Client, lost: AbortController, patience: number | null): NodeJS.Timeout {
  let askedAt: number | null = null;
  return setInterval(async () => {
    if (askedAt === null) {
      askedAt = performance.now();
      // A fault of the transaction that is under way is no loss of the connection, which ends it by itself.
      await client.query('select').catch(() => {});
      askedAt = null;
    } else if (patience !== null && performance.now() - askedAt > patience + GRACE) {
      lost.abort(new Error('the database does not answer'));
      client.connection.stream.destroy();
    }
  }, HEARTBEAT).unref();
}

/** Fails everything that waits for an answer of a lost connection. */
async function depart(client: Client, lost: AbortSignal): Promise<void> {
  if (!lost.aborted) {
    const late = new AbortController();
    await Promise.race([
      client.end().catch(() => {}),
      pause(GOODBYE, undefined, { signal: late.signal }).catch(() => {}),
    ]);
    late.abort();
  }
  client.connection.stream.destroy();
}

/** A pool of this one connection: work does not continue on another connection, which would lack the lock. */
function asPool(client: Client): Pool {
  let isTaken = false;
  const lent = Object.assign(client, {
    release: (broken?: Error | boolean) => {
      isTaken = false;
      if (broken instanceof Error) {
        client.connection.stream.destroy();
      }
    },
  }) as PoolClient;
  const pool = {
    connect: async () => {
      if (isTaken) {
        throw new Error('The connection of the elected process is in use');
      }
      isTaken = true;
      return lent;
    },
    query: (...query: Parameters<pg.Client['query']>) => client.query(...query),
    ...{ any: client.any.bind(client), one: client.one.bind(client) },
    ...{ maybeOne: client.maybeOne.bind(client), exec: client.exec.bind(client) },
  };
  return pool as unknown as Pool;
}

/** Milliseconds between attempts at the lock. */
const EVERY = 1_000;

/** Milliseconds of silence, outside a transaction and in one, after which the server ends the session. */
const SILENCE = 4_000;
const IN_TRANSACTION = 30_000;

const HEARTBEAT = 1_000;

/** Milliseconds that an answer may take beyond the time a statement may take. */
const GRACE = 5_000;

/** Milliseconds for the server to take leave. */
const GOODBYE = 500;
