import { NO_ROWS, rowsOf, sql } from '../../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../../db/timescale/queries/verbs.ts';

export interface SessionRecord {
  /**
   * @returns whether the broker has lost the session: it had subscriptions, recently enough to be kept, and
   * is gone.
   */
  connected(isResumed: boolean): Promise<boolean>;
  /** The broker lost its subscriptions, though it had the session. */
  forgotten(): Promise<void>;
  topics(): Promise<string[]>;
  confirm(topics: readonly string[]): Promise<void>;
  forget(topics: readonly string[]): Promise<void>;
  /**
   * Removes topics whose successors are known to hold them. Of two sessions that each take the other for the
   * successor, one keeps the topic.
   *
   * @returns topics that may be unsubscribed.
   */
  release(leaving: readonly { topic: string; successor: string }[]): Promise<string[]>;
}

/** @param expiry seconds the broker keeps an absent client's session. */
export function sessionRecord(
  db: Connection,
  { realm, clientId, expiry }: { realm: string; clientId: string; expiry: number },
): SessionRecord {
  const own = sql.fragment`realm = ${realm} and client_id = ${clientId}`;
  return {
    connected: (isResumed) => noteConnection(db, { realm, clientId, expiry }, isResumed),
    forgotten: async () => {
      await db.exec(sql.type(NO_ROWS)`update broker_sessions set forgotten_at = now() where ${own}`);
    },
    topics: async () => {
      const rows = await db.any(sql.type(TOPIC)`select topic from broker_subscriptions where ${own}`);
      return rows.map(({ topic }) => topic);
    },
    confirm: async (topics) => {
      await db.exec(sql.type(NO_ROWS)`
        insert into broker_subscriptions (realm, client_id, topic)
        select ${realm}, ${clientId}, topic from unnest(${sql.array(topics, 'text')}) as held (topic) order by topic
        on conflict do nothing`);
    },
    forget: async (topics) => {
      await db.exec(sql.type(NO_ROWS)`
        delete from broker_subscriptions where ${own} and topic = any (${sql.array(topics, 'text')})`);
    },
    release: (leaving) => releaseTopics(db, { realm, clientId }, leaving),
  };
}

async function noteConnection(
  db: Connection,
  { realm, clientId, expiry }: { realm: string; clientId: string; expiry: number },
  isResumed: boolean,
): Promise<boolean> {
  const own = sql.fragment`realm = ${realm} and client_id = ${clientId}`;
  const { is_forgotten } = await db.one(sql.type(rowsOf<{ is_forgotten: boolean | null }>())`
    with gone as (
      delete from broker_subscriptions where ${own} and not ${isResumed}::boolean
      returning topic
    ), loss as (
      select now() as at from broker_sessions
      where ${own} and exists (select from gone)
        and greatest(connected_at, held_until) > now() - make_interval(secs => ${expiry})
    )
    insert into broker_sessions as stored (realm, client_id, is_divided, connected_at)
    values (${realm}, ${clientId}, false, now())
    on conflict (realm, client_id) do update set
      connected_at = now(), forgotten_at = coalesce((select at from loss), stored.forgotten_at)
    returning forgotten_at = now() as is_forgotten`);
  return is_forgotten === true;
}

/** Locks the successor's row until the commit; two that wait for each other deadlock, and one is retried. */
async function releaseTopics(
  db: Connection,
  { realm, clientId }: { realm: string; clientId: string },
  leaving: readonly { topic: string; successor: string }[],
): Promise<string[]> {
  const topics = sql.array(
    leaving.map(({ topic }) => topic),
    'text',
  );
  const successors = sql.array(
    leaving.map(({ successor }) => successor),
    'text',
  );
  const rows = await db.any(sql.type(TOPIC)`
    with confirmed as (
      select held.topic
      from unnest(${topics}, ${successors}) as leaving (topic, successor)
      join broker_subscriptions held
        on held.realm = ${realm} and held.client_id = leaving.successor and held.topic = leaving.topic
      order by held.topic
      for share of held
    ), gone as (
      delete from broker_subscriptions using confirmed
      where broker_subscriptions.realm = ${realm} and broker_subscriptions.client_id = ${clientId}
        and broker_subscriptions.topic = confirmed.topic
    )
    select topic from confirmed`);
  return rows.map(({ topic }) => topic);
}

const TOPIC = rowsOf<{ topic: string }>();
