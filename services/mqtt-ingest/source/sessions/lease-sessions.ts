import { ADVISORY_LOCKS } from '../../../../db/timescale/connections/advisory-locks.ts';
import type { Client, Pool } from '../../../../db/timescale/connections/client.ts';
import { inTransaction } from '../../../../db/timescale/connections/transaction.ts';

/** Who asks for its share of the sessions among which the readers are divided. */
export interface Asking {
  /** The broker and the group. */
  realm: string;
  /** Its own client id. */
  process: string;
  /** Client ids of the sessions that there are to be. Those that were there before are divided, too. */
  sessions: readonly string[];
  /** Whether it has the broker now. One that has not leaves the sessions to those that have. */
  isConnected: boolean;
  /** Those it is just giving back. */
  leaving: ReadonlySet<string>;
}

export interface Lease {
  /** Client ids of the sessions that it holds, those that it is to give back included. */
  held: string[];
  surplus: string[];
  /** When the broker was last found to have lost a session; null if never. */
  forgottenAt: Date | null;
}

/** Seconds for which a process that is not heard of keeps what it holds, by the database's clock. */
export const LEASE_SECONDS = 6;

/**
 * Renews the caller's hold on its sessions, and gives it more, or tells it which to give back, so that all processes
 * have about the same number. A process that holds one of the same name as before its restart goes on with it.
 */
export function leaseSessions(pool: Pool, asking: Asking): Promise<Lease> {
  return inTransaction(pool, async (client) => {
    // One that stands still in the middle of this must not keep the others from going on.
    await client.query(`set local idle_in_transaction_session_timeout = ${LEASE_SECONDS * 500}`);
    await client.query('select pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.sessions]);
    await announce(client, asking);
    const rows = await load(client, asking.realm);
    const sessions = rows.filter(({ isDivided }) => isDivided);
    const mine = sessions.filter(({ holder }) => holder === asking.process).map(({ id }) => id);
    const kept = mine.filter((id) => !asking.leaving.has(id));
    const free = sessions.filter(({ isHeld }) => !isHeld).map(({ id }) => id);
    const share = shareOf(
      asking.process,
      rows.filter(({ isDivided, isHeld }) => !isDivided && isHeld),
      sessions.length,
    );
    const taken = spread(
      free.filter((id) => !mine.includes(id)),
      share - kept.length,
    );
    const held = [...mine, ...taken];
    await hold(client, asking, held);
    const forgotten = rows.flatMap(({ forgottenAt }) => forgottenAt ?? []);
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

/** Gives sessions back, or, without any named, all of them and the process's own place among the others. */
export async function giveBack(
  pool: Pool,
  { realm, process, sessions }: { realm: string; process: string; sessions: readonly string[] | null },
): Promise<void> {
  await pool.query(
    `update broker_sessions set holder = null, held_until = now()
     where realm = $1 and holder = $2 and ($3::text[] is null or client_id = any ($3))`,
    [realm, process, sessions],
  );
}

interface Row {
  id: string;
  isDivided: boolean;
  holder: string | null;
  isHeld: boolean;
  isConnected: boolean;
  forgottenAt: Date | null;
}

async function announce(client: Client, { realm, process, sessions, isConnected }: Asking): Promise<void> {
  await client.query({
    name: 'announce-process',
    text: `insert into broker_sessions as stored
        (realm, client_id, is_divided, holder, held_since, held_until, is_connected)
      values ($1, $2, false, $2, now(), now() + make_interval(secs => $4), $3)
      on conflict (realm, client_id) do update set
        is_divided = false, holder = excluded.holder, held_until = excluded.held_until,
        is_connected = excluded.is_connected,
        held_since = case when stored.held_until > now() then stored.held_since else now() end`,
    values: [realm, process, isConnected, LEASE_SECONDS],
  });
  await client.query({
    name: 'add-sessions',
    text: `insert into broker_sessions (realm, client_id, is_divided)
      select $1, client_id, true from unnest($2::text[]) as wanted (client_id) order by client_id
      on conflict do nothing`,
    values: [realm, sessions],
  });
}

/** Processes in the order they came in, so that one that joins changes little. */
async function load(client: Client, realm: string): Promise<Row[]> {
  const { rows } = await client.query<Row>({
    name: 'load-sessions',
    text: `select client_id as id, is_divided as "isDivided", holder, coalesce(held_until > now(), false) as "isHeld",
        is_connected as "isConnected", forgotten_at::timestamptz as "forgottenAt"
      from broker_sessions where realm = $1 order by is_divided, case when is_divided then null else held_since end, client_id`,
    values: [realm],
  });
  return rows.map((row) => ({
    ...row,
    forgottenAt: row.forgottenAt === null ? null : new Date(row.forgottenAt),
  }));
}

/** How many sessions are the process's share: the same for all that have the broker, the first ones one more. */
function shareOf(process: string, processes: readonly Row[], sessions: number): number {
  const connected = processes.filter(({ isConnected }) => isConnected);
  const members = connected.length > 0 ? connected : processes;
  const rank = members.findIndex(({ id }) => id === process);
  return rank === -1 ? 0 : Math.floor(sessions / members.length) + (rank < sessions % members.length ? 1 : 0);
}

/** So many of them, evenly apart: readers that were registered one after another are often of one site. */
function spread(all: readonly string[], most: number): string[] {
  const count = Math.max(0, Math.min(most, all.length));
  return Array.from(
    { length: count },
    (_, index) => all[Math.floor(((index + 0.5) * all.length) / count)] as string,
  );
}

async function hold(client: Client, { realm, process }: Asking, sessions: readonly string[]) {
  await client.query({
    name: 'hold-sessions',
    text: `update broker_sessions set holder = $2, held_until = now() + make_interval(secs => $4),
        held_since = case when holder = $2 then held_since else now() end
      where realm = $1 and client_id = any ($3::text[])`,
    values: [realm, process, sessions, LEASE_SECONDS],
  });
}
