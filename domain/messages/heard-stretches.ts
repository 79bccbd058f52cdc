import { MICROS_PER_SECOND, type Micros } from '../../base/instant.ts';

/** Messages each received within {@link HEARD_GAP} of the one before. */
export interface HeardStretch {
  since: Micros;
  until: Micros;
  messages: number;
}

/** As in `db/timescale/schema/tables/presence.sql`, which says why it is this long. */
export const HEARD_GAP: Micros = 15 * MICROS_PER_SECOND;

/** @param all messages in any order. @returns stretches in order; one in nearly every commit. */
export function heardStretches(all: readonly { heardAt: Micros | null }[]): HeardStretch[] {
  let since = Number.POSITIVE_INFINITY;
  let until = Number.NEGATIVE_INFINITY;
  let messages = 0;
  for (const { heardAt } of all) {
    if (heardAt !== null) {
      since = Math.min(since, heardAt);
      until = Math.max(until, heardAt);
      messages += 1;
    }
  }
  if (messages === 0) {
    return [];
  }
  return until - since <= HEARD_GAP
    ? [{ since, until, messages }]
    : stretchesOf(all.flatMap(({ heardAt }) => heardAt ?? []).sort((a, b) => a - b));
}

/** @param ascending times in order. */
export function stretchesOf(ascending: readonly Micros[]): HeardStretch[] {
  const stretches: HeardStretch[] = [];
  for (const at of ascending) {
    const last = stretches.at(-1);
    if (last !== undefined && at - last.until <= HEARD_GAP) {
      last.until = at;
      last.messages += 1;
    } else {
      stretches.push({ since: at, until: at, messages: 1 });
    }
  }
  return stretches;
}
