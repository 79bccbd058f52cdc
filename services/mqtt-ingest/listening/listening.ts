import { randomUUID } from 'node:crypto';
import type { Mapped } from '../../../domain/formats/mapping/run.ts';
import { REPEATED_MS, writeHeard } from '../../../domain/listening/heard.ts';
import { keyOf, LISTENED_MS, type Listened } from '../../../domain/listening/wanted.ts';
import type { RegisteredReader } from '../../../domain/messages/load-readers.ts';
import { HeardWindow } from './heard-window.ts';

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
 * reads 4 us, twenty at one reader 65 us, however many tags are in view; recording it takes a millisecond and more.
 */
export class ReaderListening {
  readonly #announce: (texts: readonly string[]) => Promise<void>;
  readonly #now: () => number;
  readonly #source = randomUUID();
  readonly #all = new Map<string, Listening>();
  readonly #byReader = new Map<number, Listening[]>();
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
    const listening = reader === null ? undefined : this.#byReader.get(reader.readerId);
    if (listening !== undefined) {
      const about = { topic: message.topic, bytes: message.payload.length };
      const at = this.#now();
      for (const { window, listened } of listening) {
        // The listener claims whose reader it is; nobody checks that on the way here.
        if (reader !== null && listened.orgId === reader.orgId) {
          window.note(reader, mapped, about, at);
        }
      }
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
    for (const listening of this.#all.values()) {
      const { readerId } = listening.listened;
      this.#byReader.set(readerId, [...(this.#byReader.get(readerId) ?? []), listening]);
    }
  }
}
