import type { Client } from '../../../db/timescale/connections/client.ts';
import {
  beginPublishing,
  endPublishing,
  moveCursor,
  type PublishedFeed,
} from '../../../domain/moves/published/feeds.ts';
import { readOutdated } from '../../../domain/moves/published/outdated.ts';
import type { Placement } from '../../../domain/moves/published/placement.ts';
import {
  readCurrent,
  readPlaced,
  readPlacementsOfEvents,
  readPublished,
  readSettledPlacements,
} from '../../../domain/moves/published/read-placements.ts';
import {
  claimTopics,
  readAssetsWithTopics,
  readTopics,
  storeTopics,
} from '../../../domain/moves/published/topics.ts';
import { type Destination, type Message, messagesOf, messagesToSend } from './messages.ts';
import type { Refusals } from './refusals.ts';

export interface Sink {
  /**
   * Sends messages in order, retained, at QoS 1.
   *
   * @param isCareful sends each after the one before is acknowledged, to learn which one is refused.
   * @throws Unpublished unless the broker acknowledged all; any other error if the cause is unknown.
   */
  publish(messages: readonly Message[], options?: { isCareful?: boolean }): Promise<void>;
  /** Aborted when nothing can be sent any more. */
  lost?: AbortSignal;
  /**
   * Whether the broker has lost its retained messages, shown by the retained mark: call it before publishing the mark
   * again.
   */
  hasForgotten?(mark: string): Promise<boolean>;
}

export interface Publishing {
  db: Client;
  sink: Sink;
  to: Destination;
  /** The broker and what is published there: if it changes, everything is published again. */
  target: string;
  /** How long an asset's events wait. */
  settleSeconds: number;
  /** By organization: when its next event is due; milliseconds of `performance.now()`. */
  held: Map<number, number>;
  refusals: Refusals;
  onPublished(messages: number): void;
}

/** Events, or assets, per step; then others have their turn. */
const AT_ONCE = 200;

/**
 * Publishes the next of an organization's feed, and moves its cursor once the broker has acknowledged that.
 *
 * 1. It begins with a snapshot of where everything is, and the head.
 * 2. Then come the events after that head, except those from before an asset's snapshot was taken.
 * 3. Assets and locations renamed meanwhile are published again, under their present names.
 * 4. With `settleSeconds` an event waits, and then its asset's location at that time is published.
 *
 * @returns false if there was nothing to do.
 */
export async function publishNext(publishing: Publishing, feed: PublishedFeed): Promise<boolean> {
  const { db, target } = publishing;
  const { orgId, cursor } = feed;
  if (feed.isDeleted) {
    await clear(publishing, orgId);
    return true;
  }
  if (cursor === null || cursor.target !== target || cursor.position < feed.oldest - 1) {
    await beginPublishing(db, orgId, publishing);
    return true;
  }
  if (cursor.snapshotAfter !== null) {
    const assetIds = await readPlaced(db, orgId, { after: cursor.snapshotAfter, limit: AT_ONCE });
    await publish(publishing, orgId, await readCurrent(db, orgId, assetIds), { isRepeated: true });
    await moveCursor(db, orgId, {
      position: cursor.position,
      snapshotAfter: assetIds.length < AT_ONCE ? null : (assetIds.at(-1) ?? null),
    });
    return true;
  }
  if (feed.isOutdated) {
    const outdated = await readOutdated(db, orgId, { limit: AT_ONCE });
    await publish(publishing, orgId, await readPublished(db, orgId, outdated.assetIds, cursor.position));
    await outdated.done();
  }
  if (feed.head === cursor.position || (publishing.held.get(orgId) ?? 0) > performance.now()) {
    return feed.isOutdated;
  }
  const upTo = await publishEvents(publishing, orgId, { after: cursor.position, head: feed.head });
  if (upTo > cursor.position) {
    await moveCursor(db, orgId, { position: upTo, snapshotAfter: null });
  }
  return feed.isOutdated || upTo > cursor.position;
}

/** @returns the position up to which they are published. */
async function publishEvents(
  publishing: Publishing,
  orgId: number,
  { after, head }: { after: number; head: number },
): Promise<number> {
  const { db, settleSeconds, held } = publishing;
  if (settleSeconds === 0) {
    const { placements, upTo } = await readPlacementsOfEvents(db, orgId, { after, limit: AT_ONCE });
    await publish(publishing, orgId, placements);
    return upTo;
  }
  const wanted = { after, head, limit: AT_ONCE, settleSeconds };
  const { placements, upTo, heldFor } = await readSettledPlacements(db, orgId, wanted);
  await publish(publishing, orgId, placements, { isSettled: true });
  if (heldFor === null) {
    held.delete(orgId);
  } else {
    held.set(orgId, performance.now() + heldFor * 1_000);
  }
  return upTo;
}

async function clear(publishing: Publishing, orgId: number): Promise<void> {
  const assetIds = await readAssetsWithTopics(publishing.db, orgId, AT_ONCE);
  const current = await readCurrent(publishing.db, orgId, assetIds);
  await publish(
    publishing,
    orgId,
    current.map((placement) => ({ ...placement, isDeleted: true, toldAt: null })),
  );
  if (assetIds.length < AT_ONCE) {
    await endPublishing(publishing.db, orgId);
  }
}

async function publish(
  { db, sink, to, refusals, onPublished }: Publishing,
  orgId: number,
  placements: readonly Placement[],
  { isRepeated = false, isSettled = false }: { isRepeated?: boolean; isSettled?: boolean } = {},
): Promise<void> {
  const wanted = placements.map((placement) => ({
    ...placement,
    messages: messagesOf(to, orgId, placement),
  }));
  await claimTopics(
    db,
    orgId,
    wanted.flatMap(({ assetId, messages }) => messages.map(({ topic }) => ({ assetId, topic }))),
  );
  const assetIds = wanted.map(({ assetId }) => assetId);
  const topics = await readTopics(db, orgId, assetIds);
  const { messages, changed } = messagesToSend(wanted, topics, { isRepeated, isSettled });
  await sink.publish(messages, { isCareful: refusals.isDoubtful(orgId) });
  await storeTopics(db, orgId, changed);
  await refusals.taken(db, orgId, messages);
  onPublished(messages.length);
}
