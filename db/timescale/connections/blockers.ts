import { setTimeout as pause } from 'node:timers/promises';
import type { ClientBase } from 'pg';
import { Client } from './client.ts';
import { connectionConfig } from './connection.ts';

interface Session {
  pid: number;
  user_name: string | null;
  application_name: string;
  /** Hidden from others than the user itself and members of pg_read_all_stats. */
  in_transaction_since: string | null;
  connected_since: string | null;
}

const OF_SESSIONS = `select pid, usename::text as user_name, application_name, ${inUtc('xact_start')} as in_transaction_since,
    ${inUtc('backend_start')} as connected_since
  from pg_stat_activity`;

/** The holder of a session's advisory lock, in words; empty if it is free by now. */
export async function holdersOf(client: ClientBase, lock: number): Promise<string> {
  const { rows } = await client.query<Session>(
    `${OF_SESSIONS} where pid in (
       select pid from pg_locks
       where locktype = 'advisory' and granted and objid = $1 and objsubid = 1 and classid = 0
         and database = (select oid from pg_database where datname = current_database())
     ) order by pid`,
    [lock],
  );
  return rows.map(inWords).join(', ');
}

/**
 * Logs which session blocks another one, at once, every ten seconds, and when it changes. It asks on its own
 * connection.
 *
 * @param pid the session that may have to wait.
 * @returns a function that ends it.
 */
export function watchBlockers(url: string, pid: number, say: (who: string) => void): () => Promise<void> {
  const controller = new AbortController();
  const watched = watch(url, pid, say, controller.signal).catch(() => {});
  return () => {
    controller.abort();
    return watched;
  };
}

async function watch(
  url: string,
  pid: number,
  say: (who: string) => void,
  signal: AbortSignal,
): Promise<void> {
  if (!(await lasts(signal))) {
    return;
  }
  const client = new Client(connectionConfig(url, 'tagtrail waits'));
  await client.connect();
  try {
    let said = '';
    let next = 0;
    do {
      const { rows } = await client.query<Session>(
        `${OF_SESSIONS} where pid = any(pg_blocking_pids($1)) order by pid`,
        [pid],
      );
      const who = rows.map(inWords).join(', ');
      if (who !== '' && (who !== said || performance.now() >= next)) {
        say(who);
        said = who;
        next = performance.now() + AGAIN;
      }
    } while (await lasts(signal));
  } finally {
    await client.end();
  }
}

/** Its number at the server. */
export function pidOf(client: ClientBase): number {
  return (client as unknown as { processID: number }).processID;
}

/** @returns false as soon as the signal is aborted. */
async function lasts(signal: AbortSignal): Promise<boolean> {
  await pause(EVERY, undefined, { signal }).catch(() => {});
  return !signal.aborted;
}

function inWords(session: Session): string {
  const since =
    session.in_transaction_since === null
      ? sinceWhen('connected', session.connected_since)
      : sinceWhen('in a transaction', session.in_transaction_since);
  const program = session.application_name === '' ? 'a nameless program' : session.application_name;
  return `pid ${session.pid} (${[program, `user ${session.user_name}`, ...since].join(', ')})`;
}

function sinceWhen(what: string, at: string | null): string[] {
  return at === null ? [] : [`${what} since ${at}`];
}

/** Milliseconds. */
const EVERY = 1_000;
const AGAIN = 10_000;

function inUtc(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;
}
