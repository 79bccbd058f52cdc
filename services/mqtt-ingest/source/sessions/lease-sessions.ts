import { setTimeout as pause } from 'node:timers/promises';
import { AppError } from '../../../../base/errors.ts';
import { ADVISORY_LOCKS } from '../../../../db/timescale/connections/advisory-locks.ts';
import type { Pool } from '../../../../db/timescale/connections/client.ts';
import { inTransaction } from '../../../../db/timescale/connections/transaction.ts';
import { NO_ROWS, rowsOf, sql } from '../../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../../db/timescale/queries/verbs.ts';

/** Milliseconds. */
const AGAIN = 300;

export interface Asking {
  realm: string;
  process: string;
  /** Client ids of the sessions to divide; existing earlier ones are divided, too. */
  sessions: readonly string[];
  /** True if connected to the broker; otherwise the process leaves the sessions to others. */
  isConnected: boolean;
  leaving: ReadonlySet<string>;
  /** True if it takes the messages of all readers, so that no other process may run. */
  isAlone: boolean;
}

export interface Lease {
  /** Client ids of held sessions, including those to be given back. */
  held: string[];
  surplus: string[];
  /** Last time the broker was found to have lost a session; null if never. */
  forgottenAt: Date | null;
}

/** Duration of a lease by the database's clock. */
export const LEASE_SECONDS = 6;

/**
 * Renews the caller's leases and grants more, or names sessions to give back, so that all processes have
 * about the same number. After a restart, a process resumes the leases under its name.
 *
 * @throws NotAlone if the caller has to be the only process and is not; it is then not registered.
 */
export function leaseSessions(pool: Pool, asking: Asking): Promise<Lease> {
  return inTransaction(pool, async (client) => {
    // A process stalled in this transaction must not block the others.
    await client.exec(sql.type(NO_ROWS)`
      select set_config('idle_in_transaction_session_timeout', ${String(LEASE_SECONDS * 500)}, true)`);
    await client.exec(sql.type(NO_ROWS)`select pg_advisory_xact_lock(${ADVISORY_LOCKS.sessions})`);
    await announce(client, asking);
    const rows = await load(client, asking.realm);
    if (asking.isAlone) {
      requireAlone(rows, asking);
    }
    const sessions = rows.filter((row) => row.is_divided);
    const mine = sessions.filter(({ holder }) => holder === asking.process).map(({ id }) => id);
    const kept = mine.filter((id) => !asking.leaving.has(id));
    const free = sessions.filter((row) => !row.is_held).map(({ id }) => id);
    const share = shareOf(
      asking.process,
      rows.filter((row) => !row.is_divided && row.is_held),
      sessions.length,
    );
    const taken = spread(
      free.filter((id) => !mine.includes(id)),
      share - kept.length,
    );
    const held = [...mine, ...taken];
    await hold(client, asking, held);
    const forgotten = rows.flatMap((row) => (row.forgotten_at === null ? [] : new Date(row.forgotten_at)));
    return {
      held,
      surplus: spread(kept, kept.length - share),
      forgottenAt: forgotten.reduce<Date | null>(
        (last, at) => (last !== null && last > at ? last : at),
        null,
      ),
    };
  });
}

function requireAlone(rows: readonly Row[], { realm, process }: Asking): void {
  const other = rows.find((row) => !row.is_divided && row.is_held && row.id !== process);
  if (other !== undefined) {
    throw new NotAlone({ process, other: other.id, realm }, other.held_until);
  }
}

/** Each of two processes would record every message. */
export class NotAlone extends AppError {
  /** When the lease of the other one ends, as text, if it does not renew it. */
  readonly heldUntil: string | null;

  constructor(
    { process, other, realm }: { process: string; other: string; realm: string },
    heldUntil: string | null,
  ) {
    super(
      'misconfigured',
      `MQTT_SHARED is off, with which one ingest process only may take what readers send, and ${other} does so beside ${process} (${realm}): set MQTT_SHARED to auto for all of them, or stop one`,
    );
    this.heldUntil = heldUntil;
  }
}

/** Without names, releases all leases and the process's own registration. */
export async function giveBack(
  db: Connection,
  { realm, process, sessions }: { realm: string; process: string; sessions: readonly string[] | null },
): Promise<void> {
  const given =
    sessions === null ? sql.fragment`true` : sql.fragment`client_id = any (${sql.array(sessions, 'text')})`;
  await db.exec(sql.type(NO_ROWS)`
    update broker_sessions set holder = null, held_until = now()
    where realm = ${realm} and holder = ${process} and ${given}`);
}

interface Row {
  id: string;
  is_divided: boolean;
  holder: string | null;
  is_held: boolean;
  held_until: string | null;
  is_connected: boolean;
  forgotten_at: string | null;
}

async function announce(db: Connection, { realm, process, sessions, isConnected }: Asking): Promise<void> {
  await db.exec(sql.prepared('announce-process', NO_ROWS)`
    insert into broker_sessions as stored
      (realm, client_id, is_divided, holder, held_since, held_until, is_connected)
    values (${realm}, ${process}, false, ${process}, now(), now() + make_interval(secs => ${LEASE_SECONDS}),
      ${isConnected})
    on conflict (realm, client_id) do update set
      is_divided = false, holder = excluded.holder, held_until = excluded.held_until,
      is_connected = excluded.is_connected,
      held_since = case when stored.held_until > now() then stored.held_since else now() end`);
  await db.exec(sql.prepared('add-sessions', NO_ROWS)`
    insert into broker_sessions (realm, client_id, is_divided)
    select ${realm}, client_id, true from unnest(${sql.array(sessions, 'text')}) as wanted (client_id)
    order by client_id
    on conflict do nothing`);
}

/** Ordered by registration, so that a newcomer changes little. */
function load(db: Connection, realm: string): Promise<readonly Row[]> {
  return db.any(sql.prepared('load-sessions', rowsOf<Row>())`
    select client_id as id, is_divided, holder, held_until::text, coalesce(held_until > now(), false) as is_held, is_connected,
      forgotten_at
    from broker_sessions where realm = ${realm}
    order by is_divided, case when is_divided then null else held_since end, client_id`);
}

/** Sessions due to the process: equal among connected processes, one more for the first ones. */
function shareOf(process: string, processes: readonly Row[], sessions: number): number {
  const connected = processes.filter((row) => row.is_connected);
  const members = connected.length > 0 ? connected : processes;
  const rank = members.findIndex(({ id }) => id === process);
  return rank === -1 ? 0 : Math.floor(sessions / members.length) + (rank < sessions % members.length ? 1 : 0);
}

/** An evenly spaced selection: readers registered one after another are often of one site. */
function spread(all: readonly string[], most: number): string[] {
  const count = Math.max(0, Math.min(most, all.length));
  return Array.from(
    { length: count },
    (_, index) => all[Math.floor(((index + 0.5) * all.length) / count)] as string,
  );
}

async function hold(db: Connection, { realm, process }: Asking, sessions: readonly string[]) {
  await db.exec(sql.prepared('hold-sessions', NO_ROWS)`
    update broker_sessions set holder = ${process}, held_until = now() + make_interval(secs => ${LEASE_SECONDS}),
      held_since = case when holder = ${process} then held_since else now() end
    where realm = ${realm} and client_id = any (${sql.array(sessions, 'text')})`);
}

/**
 * Registers the only process of a realm, before it subscribes to anything. A predecessor that was killed is waited for,
 * until its lease has ended.
 *
 * @throws NotAlone if another process runs: it renews its lease.
 */
export async function awaitAlone(
  pool: Pool,
  { realm, process }: { realm: string; process: string },
): Promise<void> {
  const asking = { realm, process, sessions: [], leaving: new Set<string>(), isConnected: false };
  for (let before: NotAlone | null = null; ; await pause(AGAIN)) {
    try {
      await leaseSessions(pool, { ...asking, isAlone: true });
      return;
    } catch (error) {
      const isRenewed = before !== null && error instanceof NotAlone && error.heldUntil !== before.heldUntil;
      if (!(error instanceof NotAlone) || isRenewed) {
        throw error;
      }
      before = error;
    }
  }
}
