import type { Clock } from '../../../base/clock.ts';
import type { ConnectionChange } from '../../../domain/presence/absences.ts';
import type { ChangesOfReader, ReaderId } from '../../../domain/presence/store-connections.ts';

export interface ReaderConnectionsOptions {
  /** Microseconds since 1970. */
  clock: Clock;
  store(readers: readonly ChangesOfReader[]): Promise<void>;
  onFault(error: unknown): void;
}

interface Reader extends ReaderId {
  open: number;
  changes: ConnectionChange[];
}

/**
 * Stores which readers are connected to the embedded broker, in batches: ten thousand returning readers make a few
 * statements. During an outage changes are kept, within a bound.
 */
export class ReaderConnections {
  readonly #options: ReaderConnectionsOptions;
  readonly #readers = new Map<number, Reader>();
  #changed = new Set<Reader>();
  #timer: NodeJS.Timeout | undefined;
  #storing: Promise<boolean> | null = null;
  #isStopped = false;

  constructor(options: ReaderConnectionsOptions) {
    this.#options = options;
  }

  opened({ orgId, readerId }: ReaderId): void {
    const reader = this.#readers.get(readerId) ?? { orgId, readerId, open: 0, changes: [] };
    this.#readers.set(readerId, reader);
    reader.open += 1;
    if (reader.open === 1) {
      this.#note(reader, true);
    }
  }

  closed({ readerId }: ReaderId): void {
    const reader = this.#readers.get(readerId);
    if (reader === undefined || this.#isStopped) {
      return;
    }
    reader.open -= 1;
    if (reader.open === 0) {
      this.#note(reader, false);
    }
  }

  /** Marks connected readers as disconnected. The next broker corrects it if this cannot be stored. */
  async stop(): Promise<void> {
    for (const reader of this.#readers.values()) {
      if (reader.open > 0) {
        this.#note(reader, false);
      }
    }
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#storing;
    await this.#store();
  }

  #note(reader: Reader, isConnected: boolean): void {
    reader.changes.push({ at: this.#options.clock(), isConnected });
    if (reader.changes.length > MOST_CHANGES) {
      // Drop the oldest connection between two absences; the absences become one.
      const connect = reader.changes.findIndex((change, at) => at > 0 && change.isConnected);
      reader.changes.splice(connect, 2);
    }
    this.#changed.add(reader);
    this.#timer ??= setTimeout(() => this.#storeSoon(), STORE_EVERY);
  }

  async #storeSoon(): Promise<void> {
    this.#storing = this.#store();
    const isDone = await this.#storing;
    this.#storing = null;
    this.#timer = undefined;
    if (this.#changed.size > 0 && !this.#isStopped) {
      this.#timer = setTimeout(() => this.#storeSoon(), isDone ? STORE_EVERY : AGAIN);
    }
  }

  async #store(): Promise<boolean> {
    const readers = [...this.#changed];
    if (readers.length === 0) {
      return true;
    }
    const changed = readers.map((reader) => ({ ...reader, changes: reader.changes.splice(0) }));
    this.#changed = new Set();
    try {
      await this.#options.store(changed);
    } catch (error) {
      this.#options.onFault(error);
      for (const [at, reader] of readers.entries()) {
        reader.changes = [...(changed[at]?.changes ?? []), ...reader.changes];
        this.#changed.add(reader);
      }
      return false;
    }
    for (const reader of readers) {
      if (reader.open === 0 && reader.changes.length === 0) {
        this.#readers.delete(reader.readerId);
      }
    }
    return true;
  }
}

/** Milliseconds. */
const STORE_EVERY = 1_000;
const AGAIN = 5_000;

/** Per reader, while the database is away. */
const MOST_CHANGES = 64;
