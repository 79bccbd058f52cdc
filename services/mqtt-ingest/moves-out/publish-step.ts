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
   * @param isCareful each after the one before is acknowledged, so that it is known which one is not.
   * @throws Unpublished unless the broker acknowledged every one; any other error if nothing can be said of a message.
   */
  publish(messages: readonly Message[], options?: { isCareful?: boolean }): Promise<void>;
  /** Aborted when nothing can be sent any more. */
  lost?: AbortSignal;
  /**
   * Whether the broker has lost what is retained, by a message that is retained there for this: call it before publishing
   * that again.
   */
  hasForgotten?(mark: string): Promise<boolean>;
}

export interface Publishing {
  db: Client;
  sink: Sink;
  to: Destination;
  /** Which broker this is, and what is published there: if it changes, everything is published once more. */
  target: string;
  refusals: Refusals;
  onPublished(messages: number): void;
}

/** Events, or assets, of one step: others' turn comes after it. */
const AT_ONCE = 200;

/**
 * Publishes the next of an organization's feed, and moves its cursor once the broker has acknowledged that.
 *
 * 1. It begins with a snapshot of where everything is, and the head.
 * 2. Then come the events after that head, except those from before an asset's snapshot was taken.
 * 3. What is called otherwise in the meantime is published again, under the names that it has now.
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
    await beginPublishing(db, orgId, target);
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
  if (feed.head === cursor.position) {
    return feed.isOutdated;
  }
  const { placements, upTo } = await readPlacementsOfEvents(db, orgId, {
    after: cursor.position,
    limit: AT_ONCE,
  });
  await publish(publishing, orgId, placements);
  await moveCursor(db, orgId, { position: upTo, snapshotAfter: null });
  return feed.isOutdated || upTo > cursor.position;
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
  { isRepeated = false }: { isRepeated?: boolean } = {},
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
  const { messages, changed } = messagesToSend(wanted, topics, { isRepeated });
  await sink.publish(messages, { isCareful: refusals.isDoubtful(orgId) });
  await storeTopics(db, orgId, changed);
  await refusals.taken(db, orgId, messages);
  onPublished(messages.length);
}
