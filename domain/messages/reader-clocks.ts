import { MICROS_PER_MILLISECOND, MICROS_PER_SECOND, type Micros } from '../../base/instant.ts';
import type { Item, Mapped } from '../formats/mapping/run.ts';
import type { RegisteredReader } from './load-readers.ts';

/**
 * Samples readers' clocks. In each minute in which a reader sends times, the message received soonest after its latest
 * read is the best evidence: its delay is the clock's error plus the transport, the delay of others also waiting time.
 * So a reader that replays an hour's buffer shows at most a few late minutes among the last {@link SAMPLES}, which are
 * kept with its counters; `reader-clock.ts` judges them. A message carries a sample if it is the first of its minute,
 * or better than the last one: some two a minute per reader, at no cost.
 */
export class ReaderClocks {
  readonly #best = new Map<number, { minute: number; offset: number }>();

  /**
   * @returns milliseconds from the message's latest read, by the reader's clock, to its receipt; null if a
   * better sample is known.
   */
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
  /** Minutes since 1970. */
  minute: number;
  /** Milliseconds; negative if the reader's clock is ahead. */
  offset: number;
}

export const SAMPLES = 31;

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

/** Beyond this number all start afresh, with one more sample each. */
const MOST_READERS = 100_000;

/**
 * Devices start in the year of their firmware until their clock is set. A time that is too late, and from before the reader was
 * registered, is such a one: the read counts when it was received.
 *
 * @returns the same, nearly always.
 */
export function withoutUnsetTimes(
  reader: RegisteredReader | null,
  mapped: Mapped,
  receivedAt: Micros,
  lateness: Micros,
): Mapped {
  if (reader === null || mapped.outcome !== 'items') {
    return mapped;
  }
  const earliest = Math.min(reader.registeredAt, receivedAt - lateness);
  return mapped.items.some((item) => isBefore(item, earliest))
    ? {
        outcome: 'items',
        items: mapped.items.map((item) => (isBefore(item, earliest) ? undated(item) : item)),
      }
    : mapped;
}

type ReadItem = Item & { outcome: 'read' };

function isBefore(item: Item, earliest: Micros): item is ReadItem {
  return item.outcome === 'read' && item.read.deviceTime !== null && item.read.deviceTime < earliest;
}

function undated({ read }: ReadItem): ReadItem {
  const { deviceTime, unusable } = read;
  const unsetClock = new Date((deviceTime ?? 0) / MICROS_PER_MILLISECOND).toISOString();
  return { outcome: 'read', read: { ...read, deviceTime: null, unusable: { ...unusable, unsetClock } } };
}
