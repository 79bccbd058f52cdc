import { FEED_TYPES, type FeedType } from '../moves/event.ts';

/** Types that a webhook can be limited to. */
export const EVENT_TYPES: readonly FeedType[] = Object.values(FEED_TYPES);

/** The type of test events, which have no position. */
export const TEST_TYPE = 'tagtrail.webhook.test.v1';

export function isEventType(text: string): text is FeedType {
  return EVENT_TYPES.some((type) => type === text);
}

/** `moves.kind` of these types. */
export function kindsOf(types: readonly FeedType[]): string[] {
  return Object.entries(FEED_TYPES).flatMap(([kind, type]) => (types.includes(type) ? [kind] : []));
}
