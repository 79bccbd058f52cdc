import type { ClientBase } from 'pg';
import { findCounterFaults } from './find-counter-faults.ts';
import { type DeliveryFaults, NO_DELIVERY_FAULTS } from './find-delivery-faults.ts';
import { type FeedFaults, findFeedFaults, NO_FEED_FAULTS } from './find-feed-faults.ts';
import { findHistoryFaults } from './find-history-faults.ts';
import { findScanFaults } from './find-scan-faults.ts';
import type { FollowedFeed } from './followed-feed.ts';
import type { Sending } from './publishers.ts';
import type { Tap } from './tap.ts';
import type { ToldWebhooks } from './told-webhooks.ts';
import { indexOf, messageOf, type PlannedMessage, type Traffic } from './traffic.ts';

/** What was published, what passed before ingestion, and what is wrong with what is stored. */
export interface Findings {
  published: Published;
  faults: Faults;
  /**
   * Reads without times that are stored once for each time that the message came without the DUP flag: without time
   * and flag the same words are a new read.
   */
  toldTwice: number;
  /** Events of the feed that the consumer was told. */
  events: number;
  /** Requests that the receiver of the webhooks got; null where there are none. */
  requests: number | null;
}

export interface Published {
  messages: number;
  reads: number;
  /** Messages, repetitions counted, and how many of them ingestion acknowledged. */
  handedOver: number;
  acknowledged: number;
  /** Messages that came with the DUP flag first, because a network had swallowed them before. */
  swallowed: number;
  /** Messages that readers had to publish again because the broker, which had acknowledged them, lost them. */
  republished: number;
}

export interface Faults extends FeedFaults, DeliveryFaults {
  missing: number;
  /** Reads stored more often than rule 3 allows. */
  doubled: number;
  /** Reads stored with another asset, place or time than they have, or that nobody published. */
  altered: number;
  /** Transitions, durations and positions that are not those of the stored reads. */
  wrongTransitions: number;
  wrongPositions: number;
  /** Messages and reads that had to be rejected and are not kept as such, and others that are. */
  wrongRejections: number;
  /** Readers whose counters do not add up or do not agree with what is stored. */
  wrongCounters: number;
}

export const NO_FAULTS: Faults = {
  missing: 0,
  doubled: 0,
  altered: 0,
  wrongTransitions: 0,
  wrongPositions: 0,
  wrongRejections: 0,
  wrongCounters: 0,
  ...NO_FEED_FAULTS,
  ...NO_DELIVERY_FAULTS,
};

export interface Evidence {
  traffic: Traffic;
  tap: Tap;
  publishers: Sending;
  republished: number;
  /** Null where nobody follows it. */
  feed: FollowedFeed | null;
  /** Null where there are none. */
  webhooks: ToldWebhooks | null;
}

/**
 * Compares what is stored with what was published and with what the plain rule makes of it.
 *
 * @param client in a transaction.
 */
export async function findFaults(client: ClientBase, evidence: Evidence): Promise<Findings> {
  const { traffic, tap, publishers, republished, feed, webhooks } = evidence;
  const messages = [...publishers.acknowledged].map((index) => messageOf(traffic, index));
  const scans = await findScanFaults(client, messages, tap);
  const histories = await findHistoryFaults(client, traffic.assets);
  return {
    published: {
      messages: messages.length,
      reads: messages.reduce((sum, { reads }) => sum + reads.length, 0),
      handedOver: tap.deliveries,
      acknowledged: tap.acknowledgements,
      swallowed: tap.swallowed,
      republished,
    },
    faults: {
      missing: scans.missing,
      doubled: scans.doubled,
      altered: scans.altered,
      ...histories,
      wrongRejections: await findRejectionFaults(client, messages, tap),
      wrongCounters: await findCounterFaults(client, messages),
      ...(feed === null ? NO_FEED_FAULTS : await findFeedFaults(client, feed)),
      ...(webhooks === null ? NO_DELIVERY_FAULTS : await webhooks.findFaults(client)),
    },
    toldTwice: scans.toldTwice,
    events: feed?.follower.fold.position ?? 0,
    requests: webhooks?.receiver.arrived().length ?? null,
  };
}

/**
 * Every message that cannot be decoded, and every one that the database refuses, is kept as rejected: once, or as
 * often as it came without the DUP flag; and no other is.
 *
 * @returns how many messages are not.
 */
async function findRejectionFaults(
  client: ClientBase,
  messages: readonly PlannedMessage[],
  tap: Tap,
): Promise<number> {
  const rows = (
    await client.query<{ payload: Buffer; reason: string }>('select payload, reason from rejected_messages')
  ).rows;
  const kept = Map.groupBy(rows, ({ payload }) => indexOf(payload));
  const isRight = ({ index, kind }: PlannedMessage) => {
    const mine = kept.get(index) ?? [];
    if (kind !== 'undecodable' && kind !== 'refused') {
      return mine.length === 0;
    }
    const isExplained = mine.every(({ reason }) => (kind === 'refused') === reason.startsWith(REFUSED));
    return mine.length >= 1 && mine.length <= (tap.handedOverAsNew.get(index) ?? 1) && isExplained;
  };
  return messages.filter((message) => !isRight(message)).length;
}

const REFUSED = 'it could not be recorded';
