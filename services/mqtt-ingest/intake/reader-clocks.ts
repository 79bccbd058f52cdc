import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import type { Mapped } from '../../../domain/formats/mapping/run.ts';

/**
 * What readers' clocks say against this service's. Of each minute in which a reader sends times of its own, the message
 * that comes soonest after its latest read tells most: it is late by the clock's error and by the way here, others
 * also by having waited. So a reader that replays the buffer of an hour shows no more than a few late minutes, among
 * the last {@link SAMPLES} that are kept with its counters; what to think of them, `reader-clock.ts` decides.
 *
 * A message carries a sample if it is the first of its minute, or better than what was carried before: some two a
 * minute of a reader, so that it costs nothing.
 */
export class ReaderClocks {
  readonly #best = new Map<number, { minute: number; offset: number }>();

  /** @returns milliseconds from the message's latest read, by the reader's clock, to its receipt; null if it is no news. */
  sample(readerId: number, mapped: Mapped, receivedAt: Micros): ClockSample | null {
    const read = latestRead(mapped);
    if (read === null) {
      return null;
    }
    const minute = Math.floor(receivedAt / MICROS_PER_MINUTE);
    const offset = Math.round((receivedAt - read) / 1_000);
    const best = this.#best.get(readerId);
    if (best !== undefined && best.minute === minute && best.offset - offset < NEWS) {
      return null;
    }
    if (best === undefined && this.#best.size >= MOST_READERS) {
      this.#best.clear();
    }
    this.#best.set(readerId, { minute, offset });
    return { minute, offset };
  }
}

export interface ClockSample {
  /** Since 1970. */
  minute: number;
  /** In milliseconds; negative if the reader's clock is ahead. */
  offset: number;
}

/** Minutes kept of a reader. */
export const SAMPLES = 31;

/** The latest time of its own that a message brings. */
export function latestRead(mapped: Mapped): Micros | null {
  let latest: Micros | null = null;
  for (const item of mapped.outcome === 'items' ? mapped.items : []) {
    const time = item.outcome === 'read' ? item.read.deviceTime : null;
    if (time !== null && (latest === null || time > latest)) {
      latest = time;
    }
  }
  return latest;
}

const MICROS_PER_MINUTE = 60 * MICROS_PER_SECOND;

/** Milliseconds. */
const NEWS = 1_000;

/** Then all begin anew, and carry a sample more. */
const MOST_READERS = 100_000;
