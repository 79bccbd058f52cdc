import { randomUUID } from 'node:crypto';
import { withoutTokens } from '../../../base/scanned-text.ts';
import type { Mapped, TagRead } from '../../../domain/formats/mapping/run.ts';
import {
  type Arrival,
  type Heard,
  type HeardTag,
  REPEATED_MS,
  WINDOW_SECONDS,
  writeHeard,
} from '../../../domain/listening/heard.ts';
import { keyOf, LISTENED_MS, type Listened } from '../../../domain/listening/wanted.ts';
import type { RegisteredReader } from '../../../domain/messages/load-readers.ts';
import { type Antennas, antennaNumber, NO_ANTENNA } from '../../../domain/messages/to-scans.ts';
import { sameTagKey, whyUnusable } from '../../../domain/tracking/tag-key.ts';

/** Tags kept per antenna; some 60 fit into a notification. */
const MOST_TAGS = 100;
const MOST_ARRIVALS = 3;
const MOST_TEXT = 200;

type Read = Pick<TagRead, 'tagType' | 'value' | 'rssi'> & Pick<HeardTag, 'antenna' | 'locationId'>;

interface Tag {
  read: Read;
  at: number;
  counts: HeardCounts;
}

/** Antennas with listeners: per organization, and in all. The others are not reported. */
export const MOST_OF_ORGANIZATION = 20;
const MOST = 200;

/** Milliseconds between reports: short enough for turning an antenna. */
const EVERY_MS = 500;

interface Listening {
  listened: Listened;
  window: HeardWindow;
  until: number;
  told: string;
  toldAt: number;
}

/**
 * Tells those who aim an antenna what it reads, while they ask for it. Nothing is stored: a summary of the last 30 s is
 * announced by NOTIFY as often as twice a second, and one that is lost is followed by the next. With a table, each
 * would be a row to write and to clear away.
 *
 * While nobody listens a message costs one look at an empty map, 5 ns, and no timer runs. One listener costs a message of 50
 * reads 4 us, twenty at one reader 65 us, and any number of those that listen for tags 20 us, however many tags are in view;
 * recording it takes a millisecond and more.
 */
export class ReaderListening {
  readonly #announce: (texts: readonly string[]) => Promise<void>;
  readonly #now: () => number;
  readonly #source = randomUUID();
  readonly #all = new Map<string, Listening>();
  readonly #byReader = new Map<number, Listening[]>();
  /** Windows of those that listen for tags, by organization and key. */
  readonly #forTags = new Map<number, Map<string, HeardWindow[]>>();
  #timer: NodeJS.Timeout | undefined;
  #isAnnouncing = false;

  /** @param now milliseconds since 1970. */
  constructor(announce: (texts: readonly string[]) => Promise<void>, now: () => number = Date.now) {
    this.#announce = announce;
    this.#now = now;
  }

  /** Listens from now on, or for longer. */
  want(listened: Listened): void {
    const key = keyOf(listened);
    const until = this.#now() + LISTENED_MS;
    const known = this.#all.get(key);
    if (known !== undefined) {
      known.until = until;
      // A new listener does not wait for the next change.
      known.told = '';
      return;
    }
    if (!this.#hasRoom(listened.orgId)) {
      return;
    }
    this.#all.set(key, { listened, window: new HeardWindow(listened), until, told: '', toldAt: 0 });
    this.#index();
    this.#timer ??= setInterval(() => void this.tell(), EVERY_MS).unref();
    void this.tell();
  }

  note(reader: RegisteredReader | null, mapped: Mapped, message: { topic: string; payload: Buffer }): void {
    if (reader === null || this.#all.size === 0) {
      return;
    }
    const about = { topic: message.topic, bytes: message.payload.length };
    const at = this.#now();
    for (const { window, listened } of this.#byReader.get(reader.readerId) ?? []) {
      // The listener claims whose reader it is; nobody checks that on the way here.
      if (listened.orgId === reader.orgId) {
        window.note(reader, mapped, about, at);
      }
    }
    const windows = this.#forTags.get(reader.orgId);
    if (windows !== undefined && mapped.outcome === 'items') {
      noteTags(windows, reader, mapped.items, at);
    }
  }

  /** Announces changes, and now and then unchanged values as a sign of life. */
  async tell(): Promise<void> {
    const now = this.#now();
    this.#endOld(now);
    if (this.#isAnnouncing) {
      return;
    }
    const texts = [...this.#all.values()].flatMap((listening) => {
      const text = writeHeard(listening.window.summary(this.#source, now));
      if (text === listening.told && now - listening.toldAt < REPEATED_MS) {
        return [];
      }
      listening.told = text;
      listening.toldAt = now;
      return [text];
    });
    if (texts.length > 0) {
      this.#isAnnouncing = true;
      // Best effort: without its database ingestion records nothing either, and says so.
      await this.#announce(texts).catch(() => {});
      this.#isAnnouncing = false;
    }
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#all.clear();
    this.#index();
  }

  #hasRoom(orgId: number): boolean {
    const own = [...this.#all.values()].filter(({ listened }) => listened.orgId === orgId);
    return own.length < MOST_OF_ORGANIZATION && this.#all.size < MOST;
  }

  #endOld(now: number): void {
    for (const [key, { until }] of this.#all) {
      if (now > until) {
        this.#all.delete(key);
      }
    }
    this.#index();
    if (this.#all.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
  }

  #index(): void {
    this.#byReader.clear();
    this.#forTags.clear();
    for (const listening of this.#all.values()) {
      const { orgId, readerId, keys } = listening.listened;
      if (keys === undefined) {
        this.#byReader.set(readerId, [...(this.#byReader.get(readerId) ?? []), listening]);
      }
      for (const key of keys ?? []) {
        const windows = this.#forTags.get(orgId) ?? new Map<string, HeardWindow[]>();
        this.#forTags.set(orgId, windows.set(key, [...(windows.get(key) ?? []), listening.window]));
      }
    }
  }
}

/** Makes the key of each read once, however many listen. Other messages are no news to them. */
function noteTags(
  windows: ReadonlyMap<string, readonly HeardWindow[]>,
  reader: Antennas,
  items: Extract<Mapped, { outcome: 'items' }>['items'],
  at: number,
): void {
  for (const item of items) {
    if (item.outcome === 'read' && whyUnusable(item.read) === null) {
      const { tagType, value, rssi } = item.read;
      for (const window of windows.get(sameTagKey(tagType, value)) ?? []) {
        const antenna = antennaHeard(reader, item.read);
        const { locationId = null } = reader.antennas.get(Number(antenna)) ?? {};
        window.noteRead({ tagType, value, rssi, antenna, locationId }, at);
      }
    }
  }
}

/** Recent reads at one antenna, second by second. Its size is bounded, however many there are. */
export class HeardWindow {
  readonly #listened: Listened;
  readonly #tags = new Map<string, Tag>();
  readonly #messages = new HeardCounts();
  readonly #rejected = new HeardCounts();
  readonly #ignored = new HeardCounts();
  readonly #reads = new HeardCounts();
  /** Reads of tags that there was no room for. */
  readonly #leftOut = new HeardCounts();
  #arrivals: Arrival[] = [];
  #roomMadeIn: number | null = null;

  constructor(listened: Listened) {
    this.#listened = listened;
  }

  /** @param at milliseconds since 1970. */
  note(
    reader: Antennas,
    mapped: Mapped,
    { topic, bytes }: { topic: string; bytes: number },
    at: number,
  ): void {
    const second = Math.floor(at / 1_000);
    this.#messages.add(second);
    const arrival: Arrival = { at, topic: shortened(topic), bytes, outcome: mapped.outcome, reason: null };
    if (mapped.outcome === 'items') {
      for (const item of mapped.items) {
        if (item.outcome === 'read' && whyUnusable(item.read) === null) {
          const { tagType, value, rssi } = item.read;
          this.noteRead({ tagType, value, rssi, antenna: antennaHeard(reader, item.read) }, at);
        } else {
          (item.outcome === 'ignored' ? this.#ignored : this.#rejected).add(second);
        }
      }
    } else {
      (mapped.outcome === 'ignored' ? this.#ignored : this.#rejected).add(second);
      arrival.reason = shortened(mapped.reason);
    }
    this.#arrivals = [arrival, ...this.#arrivals.slice(0, MOST_ARRIVALS - 1)];
  }

  summary(source: string, at: number): Heard {
    const since = Math.floor(at / 1_000) - WINDOW_SECONDS;
    const tags: HeardTag[] = [];
    for (const [key, { read, at: last, counts }] of this.#tags) {
      const count = counts.since(since);
      if (count === 0) {
        this.#tags.delete(key);
      } else {
        tags.push({ ...read, count, strongest: counts.strongestSince(since), at: last });
      }
    }
    return {
      ...this.#listened,
      source,
      messages: this.#messages.since(since),
      rejected: this.#rejected.since(since),
      ignored: this.#ignored.since(since),
      reads: this.#reads.since(since),
      tags,
      tagsLeftOut: this.#leftOut.since(since) > 0 ? 1 : 0,
      arrivals: this.#arrivals.filter((arrival) => arrival.at >= since * 1_000),
    };
  }

  noteRead(read: Read, at: number): void {
    const second = Math.floor(at / 1_000);
    const { antenna } = this.#listened;
    if (antenna !== 0 && read.antenna !== antenna) {
      return;
    }
    this.#reads.add(second);
    const key = `${read.locationId ?? ''} ${read.antenna} ${read.tagType} ${read.value}`;
    const known = this.#tags.get(key);
    if (known !== undefined) {
      known.read = read;
      known.at = at;
      known.counts.add(second, read.rssi);
    } else if (this.#tags.size < MOST_TAGS || this.#makeRoom(second)) {
      const counts = new HeardCounts();
      counts.add(second, read.rssi);
      this.#tags.set(key, { read, at, counts });
    } else {
      this.#leftOut.add(second);
    }
  }

  /** Once a second: with thousands of tags in view, most reads are of tags without room. */
  #makeRoom(second: number): boolean {
    if (second === this.#roomMadeIn) {
      return false;
    }
    this.#roomMadeIn = second;
    for (const [key, { at }] of this.#tags) {
      if (at < (second - WINDOW_SECONDS) * 1_000) {
        this.#tags.delete(key);
      }
    }
    return this.#tags.size < MOST_TAGS;
  }
}

function antennaHeard(reader: Antennas, read: TagRead): number | string {
  const number = antennaNumber(reader, read);
  return number === NO_ANTENNA ? shortened(String(read.antenna ?? '')) : number;
}

function shortened(text: string): string {
  return withoutTokens(text.replaceAll('\0', '\u2400')).slice(0, MOST_TEXT).toWellFormed();
}

/** How many of something there were in each of the last seconds, and how strong the strongest was. */
class HeardCounts {
  readonly #seconds = new Float64Array(WINDOW_SECONDS).fill(Number.NEGATIVE_INFINITY);
  readonly #counts = new Uint32Array(WINDOW_SECONDS);
  readonly #strongest = new Float64Array(WINDOW_SECONDS);

  add(second: number, rssi: number | null = null): void {
    const slot = second % WINDOW_SECONDS;
    if (this.#seconds[slot] !== second) {
      this.#seconds[slot] = second;
      this.#counts[slot] = 0;
      this.#strongest[slot] = Number.NEGATIVE_INFINITY;
    }
    this.#counts[slot] = (this.#counts[slot] ?? 0) + 1;
    this.#strongest[slot] = Math.max(this.#strongest[slot] ?? 0, rssi ?? Number.NEGATIVE_INFINITY);
  }

  /** After that second. */
  since(second: number): number {
    let sum = 0;
    for (let slot = 0; slot < WINDOW_SECONDS; slot++) {
      sum += (this.#seconds[slot] ?? 0) > second ? (this.#counts[slot] ?? 0) : 0;
    }
    return sum;
  }

  strongestSince(second: number): number | null {
    let strongest = Number.NEGATIVE_INFINITY;
    for (let slot = 0; slot < WINDOW_SECONDS; slot++) {
      if ((this.#seconds[slot] ?? 0) > second) {
        strongest = Math.max(strongest, this.#strongest[slot] ?? strongest);
      }
    }
    return strongest === Number.NEGATIVE_INFINITY ? null : strongest;
  }
}
