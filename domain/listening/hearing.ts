import { setTimeout as pause } from 'node:timers/promises';
import { type Listener, listen } from '../../db/timescale/connections/listen.ts';
import { HEARD_FOR_MS, type Heard, READS_HEARD, readHeard } from './heard.ts';
import { type HeardByAll, mergeHeard } from './merge-heard.ts';
import { keyOf, LISTENED_MS, type Listened } from './wanted.ts';

/** Milliseconds between asking ingestion again, and at least between two pieces of a stream. */
const RENEWED_MS = LISTENED_MS / 3;
const BETWEEN_MS = 400;

/** Milliseconds after which a piece is sent even without news, because reads age. */
const SILENCE_MS = 2_000;

interface Log {
  warn(about: object, text: string): void;
}

interface Ear {
  listened: Listened;
  /** By the process of ingestion that reported it. */
  heard: Map<string, { heard: Heard; at: number }>;
  wake: () => void;
}

export interface Listening {
  listened: Listened;
  signal: AbortSignal;
  /** Asks ingestion to listen. */
  want(): Promise<void>;
}

/** Ingestion's news from antennas, for listeners. A process LISTENs once, and only while it has listeners. */
export class Hearing {
  readonly #url: string;
  readonly #log: Log;
  readonly #stopping: AbortSignal;
  readonly #ears = new Map<string, Set<Ear>>();
  #listener: Promise<Listener> | null = null;

  constructor(url: string, { log, stopping }: { log: Log; stopping: AbortSignal }) {
    this.#url = url;
    this.#log = log;
    this.#stopping = stopping;
  }

  /** The reads of all processes, at most twice a second, until the signal. */
  async *listen({ listened, signal: hangUp, want }: Listening): AsyncGenerator<HeardByAll, void> {
    const signal = AbortSignal.any([hangUp, this.#stopping]);
    const ear: Ear = { listened, heard: new Map(), wake: () => {} };
    await this.#enter(ear);
    let renewedAt = Number.NEGATIVE_INFINITY;
    try {
      while (!signal.aborted) {
        const now = performance.now();
        if (now - renewedAt >= RENEWED_MS) {
          renewedAt = now;
          await want();
        }
        // Before the piece is made, so that nothing that comes meanwhile is missed.
        const woken = new Promise<void>((resolve) => {
          ear.wake = resolve;
        });
        yield mergeHeard(fresh(ear, now));
        await pause(BETWEEN_MS, undefined, { signal });
        await Promise.race([woken, pause(SILENCE_MS, undefined, { signal })]);
      }
    } catch (error) {
      if (!signal.aborted) {
        throw error;
      }
    } finally {
      await this.#leave(ear);
    }
  }

  async stop(): Promise<void> {
    const listener = this.#listener;
    this.#listener = null;
    await (await listener?.catch(() => null))?.close();
  }

  async #enter(ear: Ear): Promise<void> {
    const key = keyOf(ear.listened);
    this.#ears.set(key, (this.#ears.get(key) ?? new Set()).add(ear));
    this.#listener ??= listen(this.#url, [READS_HEARD], {
      onNotify: (_channel, text) => this.#hear(text),
      onReconnect: () => {},
      onLost: (err) => this.#log.warn({ err }, 'Live reads interrupted; reconnecting'),
    });
    try {
      await this.#listener;
    } catch (error) {
      this.#listener = null;
      await this.#leave(ear);
      throw error;
    }
  }

  async #leave(ear: Ear): Promise<void> {
    const key = keyOf(ear.listened);
    const ears = this.#ears.get(key);
    if (ears?.delete(ear) !== true) {
      return;
    }
    if (ears.size === 0) {
      this.#ears.delete(key);
    }
    if (this.#ears.size === 0) {
      await this.stop();
    }
  }

  #hear(text: string): void {
    const heard = readHeard(text);
    const ears = heard === null ? undefined : this.#ears.get(keyOf(heard));
    if (heard !== null && ears !== undefined) {
      for (const ear of ears) {
        ear.heard.set(heard.source, { heard, at: performance.now() });
        ear.wake();
      }
    }
  }
}

function fresh(ear: Ear, now: number): Heard[] {
  for (const [source, { at }] of ear.heard) {
    if (now - at > HEARD_FOR_MS) {
      ear.heard.delete(source);
    }
  }
  return [...ear.heard.values()].map(({ heard }) => heard);
}
