import { isWildcard, topicMatches } from '../../../domain/administration/readers/topic.ts';
import type { RegisteredReader, WhichReaders } from '../../../domain/messages/load-readers.ts';

/** The readers by what they are looked up by. Changing some costs what these are, however many others there are. */
export class ReadersInMemory {
  readonly #byId = new Map<number, RegisteredReader>();
  readonly #byUsername = new Map<string, RegisteredReader>();
  readonly #byTopic = new Map<string, RegisteredReader>();
  /** By the first level of their topic, {@link ANY} where that is a wildcard. */
  readonly #wildcards = new Map<string, Set<RegisteredReader>>();

  byId(readerId: number): RegisteredReader | undefined {
    return this.#byId.get(readerId);
  }

  byUsername(username: string): RegisteredReader | undefined {
    return this.#byUsername.get(username);
  }

  byTopic(topic: string): RegisteredReader | undefined {
    return (
      this.#byTopic.get(topic) ?? this.#filterOf(topic, firstLevelOf(topic)) ?? this.#filterOf(topic, ANY)
    );
  }

  topics(): Iterable<string> {
    return this.#byTopic.keys();
  }

  /** The topics of `which` readers that they have no more. */
  freedBy(which: WhichReaders, now: readonly RegisteredReader[]): string[] {
    const topicsNow = new Map(now.map(({ readerId, topic }) => [readerId, topic]));
    return this.#those(which)
      .filter(({ readerId, topic }) => topicsNow.get(readerId) !== topic)
      .map(({ topic }) => topic);
  }

  /**
   * Replaces `which` readers, null for all, by those that there are now, and others that are among these.
   *
   * @returns whether one came, went, or has another topic or password.
   */
  replace(which: WhichReaders | null, now: readonly RegisteredReader[]): boolean {
    const alsoNow = now.flatMap(({ readerId }) => this.#byId.get(readerId) ?? []);
    const before = [...new Set([...this.#those(which), ...alsoNow])];
    for (const reader of before) {
      this.#remove(reader);
    }
    for (const reader of now) {
      this.#add(reader);
    }
    return (
      before.length !== now.length ||
      before.some((reader) => !isSameLogin(reader, this.#byId.get(reader.readerId)))
    );
  }

  /** Readers whose format was stored, changed or deleted have what there is now. */
  useFormats(formats: { get(name: string): RegisteredReader['format'] | undefined }): void {
    for (const reader of this.#byId.values()) {
      const format = formats.get(reader.formatName) ?? null;
      if (format !== reader.format) {
        this.#remove(reader);
        this.#add({ ...reader, format });
      }
    }
  }

  #those(which: WhichReaders | null): RegisteredReader[] {
    if (which === null) {
      return [...this.#byId.values()];
    }
    const { orgIds = [], readerIds = [] } = which;
    const ids = new Set(readerIds);
    if (orgIds.length > 0) {
      const all = new Set(orgIds);
      for (const { orgId, readerId } of this.#byId.values()) {
        if (all.has(orgId)) {
          ids.add(readerId);
        }
      }
    }
    return [...ids].flatMap((id) => this.#byId.get(id) ?? []);
  }

  #filterOf(topic: string, firstLevel: string): RegisteredReader | undefined {
    return this.#wildcards
      .get(firstLevel)
      ?.values()
      .find((reader) => topicMatches(reader.topic, topic));
  }

  #add(reader: RegisteredReader): void {
    this.#byId.set(reader.readerId, reader);
    this.#byUsername.set(reader.username, reader);
    this.#byTopic.set(reader.topic, reader);
    if (isWildcard(reader.topic)) {
      const firstLevel = firstLevelOf(reader.topic);
      const alike = this.#wildcards.get(firstLevel) ?? new Set();
      this.#wildcards.set(firstLevel, alike.add(reader));
    }
  }

  #remove(reader: RegisteredReader): void {
    const firstLevel = firstLevelOf(reader.topic);
    const alike = this.#wildcards.get(firstLevel);
    if (alike?.delete(reader) === true && alike.size === 0) {
      this.#wildcards.delete(firstLevel);
    }
    this.#byId.delete(reader.readerId);
    for (const [index, key] of [
      [this.#byUsername, reader.username],
      [this.#byTopic, reader.topic],
    ] as const) {
      // Another reader may have its topic by now.
      if (index.get(key) === reader) {
        index.delete(key);
      }
    }
  }
}

const ANY = '+';

function firstLevelOf(topic: string): string {
  const [level = ''] = topic.split('/', 1);
  return isWildcard(level) ? ANY : level;
}

function isSameLogin(reader: RegisteredReader, now: RegisteredReader | undefined): boolean {
  return (
    now !== undefined &&
    now.topic === reader.topic &&
    now.username === reader.username &&
    now.passwordSha256.equals(reader.passwordSha256)
  );
}
