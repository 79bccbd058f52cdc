import { setTimeout as pause } from 'node:timers/promises';
import type { BrokerConnection } from './broker-connection.ts';
import type { SessionRecord } from './sessions/session-record.ts';

export interface NoticeOptions {
  sharedProbe: string | null;
  /** Called if the broker has lost the session, or its shared subscriptions, with everything queued there. */
  onForgotten(): void;
  onFault(error: unknown): void;
}

/**
 * Records a connection as soon as the database is available, and finds out whether the broker still had the
 * session.
 *
 * `session present` is not enough: mosquitto (2.0.11, 2.0.21) keeps a session through a restart but forgets
 * its shared subscriptions. So a shared session has an additional probe subscription, dropped and renewed on
 * every connection: MQTT 5 answers whether it still existed; MQTT 3.1.1 does not.
 *
 * @returns when done, or when the connection has ended.
 */
export async function noticeLostSession(
  connection: BrokerConnection,
  record: SessionRecord,
  { sharedProbe, onForgotten, onFault }: NoticeOptions,
): Promise<void> {
  let isOpen = true;
  connection.ended.then(() => {
    isOpen = false;
  });
  const persist = async (work: () => Promise<void>) => {
    while (isOpen) {
      try {
        return await work();
      } catch (error) {
        onFault(error);
        await Promise.race([pause(AGAIN), connection.ended]);
      }
    }
  };
  let hadProbe = false;
  await persist(async () => {
    hadProbe = sharedProbe !== null && (await record.topics()).includes(sharedProbe);
    if (await record.connected(connection.isResumed)) {
      onForgotten();
    }
  });
  if (sharedProbe === null) {
    return;
  }
  await persist(async () => {
    const [answer] = await connection.unsubscribe([sharedProbe]);
    if (hadProbe && connection.isResumed && answer === NO_SUBSCRIPTION_EXISTED) {
      hadProbe = false;
      onForgotten();
      await record.forgotten();
    }
    const [granted = REFUSED] = await connection.subscribe([sharedProbe]);
    await record[granted < REFUSED ? 'confirm' : 'forget']([sharedProbe]);
  });
}

/** Milliseconds. */
const AGAIN = 1_000;

/** MQTT 5 section 3.11.3. */
const NO_SUBSCRIPTION_EXISTED = 17;

const REFUSED = 128;
