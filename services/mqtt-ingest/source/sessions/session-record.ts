import type { Pool } from '../../../../db/timescale/connections/client.ts';

/** What is remembered of one session at a broker, whichever process has it. */
export interface SessionRecord {
  /**
   * A process has connected. @returns whether the broker has lost the session: it was subscribed to something, within
   * the time for which it is kept, and was not there any more.
   */
  connected(isResumed: boolean): Promise<boolean>;
  /** The broker was found to have lost its subscriptions, though it had the session. */
  forgotten(): Promise<void>;
  /** The topics that it is known to be subscribed to. */
  topics(): Promise<string[]>;
  /** The broker has said that it is subscribed to these. */
  confirm(topics: readonly string[]): Promise<void>;
  /** It is no longer. */
  forget(topics: readonly string[]): Promise<void>;
  /**
   * Takes those away that their successors are known to hold. Of two sessions that each take the other for the
   * successor, one keeps the topic.
   *
   * @returns the topics that may be let go of.
   */
  release(leaving: readonly { topic: string; successor: string }[]): Promise<string[]>;
}

/** @param expiry how long the broker keeps the session of a client that is away, in seconds. */
export function sessionRecord(
  pool: Pool,
  { realm, clientId, expiry }: { realm: string; clientId: string; expiry: number },
): SessionRecord {
  const own = [realm, clientId];
  return {
    connected: async (isResumed) => {
      const { rows } = await pool.query<{ is_forgotten: boolean | null }>(CONNECTED, [
        ...own,
        isResumed,
        expiry,
      ]);
      return rows[0]?.is_forgotten === true;
    },
    forgotten: async () => {
      await pool.query(
        'update broker_sessions set forgotten_at = now() where realm = $1 and client_id = $2',
        own,
      );
    },
    topics: async () => {
      const { rows } = await pool.query<{ topic: string }>(
        'select topic from broker_subscriptions where realm = $1 and client_id = $2',
        own,
      );
      return rows.map(({ topic }) => topic);
    },
    confirm: async (topics) => {
      await pool.query(
        `insert into broker_subscriptions (realm, client_id, topic)
         select $1, $2, topic from unnest($3::text[]) as held (topic) order by topic
         on conflict do nothing`,
        [...own, topics],
      );
    },
    forget: async (topics) => {
      await pool.query(
        'delete from broker_subscriptions where realm = $1 and client_id = $2 and topic = any ($3::text[])',
        [...own, topics],
      );
    },
    release: async (leaving) => {
      const { rows } = await pool.query<{ topic: string }>(RELEASE, [
        ...own,
        leaving.map(({ topic }) => topic),
        leaving.map(({ successor }) => successor),
      ]);
      return rows.map(({ topic }) => topic);
    },
  };
}

const CONNECTED = `with gone as (
    delete from broker_subscriptions where realm = $1 and client_id = $2 and not $3
    returning topic
  ), loss as (
    select now() as at from broker_sessions
    where realm = $1 and client_id = $2 and exists (select from gone)
      and greatest(connected_at, held_until) > now() - make_interval(secs => $4)
  )
  insert into broker_sessions as stored (realm, client_id, is_divided, connected_at)
  values ($1, $2, false, now())
  on conflict (realm, client_id) do update set
    connected_at = now(), forgotten_at = coalesce((select at from loss), stored.forgotten_at)
  returning forgotten_at = now() as is_forgotten`;

/** The lock keeps the successor's row until this is committed; two that wait for each other are a deadlock, tried again. */
const RELEASE = `with confirmed as (
    select held.topic
    from unnest($3::text[], $4::text[]) as leaving (topic, successor)
    join broker_subscriptions held
      on held.realm = $1 and held.client_id = leaving.successor and held.topic = leaving.topic
    order by held.topic
    for share of held
  ), gone as (
    delete from broker_subscriptions using confirmed
    where broker_subscriptions.realm = $1 and broker_subscriptions.client_id = $2
      and broker_subscriptions.topic = confirmed.topic
  )
  select topic from confirmed`;
