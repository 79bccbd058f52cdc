import { MOVE_TYPES, type MoveType } from '../moves/event.ts';

/** Types that a webhook can be limited to. */
export const EVENT_TYPES: readonly MoveType[] = Object.values(MOVE_TYPES);

/** The type of test events, which have no position. */
export const TEST_TYPE = 'tagtrail.webhook.test.v1';

export function isEventType(text: string): text is MoveType {
  return EVENT_TYPES.some((type) => type === text);
}

/** `moves.kind` of these types. */
export function kindsOf(types: readonly MoveType[]): string[] {
  return Object.entries(MOVE_TYPES).flatMap(([kind, type]) => (types.includes(type) ? [kind] : []));
}
