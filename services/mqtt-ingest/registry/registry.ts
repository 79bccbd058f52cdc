import { QUESTION_EVERY_MS } from '../../../base/heard-everywhere.ts';
import type { Pool } from '../../../db/timescale/connections/client.ts';
import { type Listener, listen } from '../../../db/timescale/connections/listen.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { FormatsInUse } from '../../../domain/administration/formats/formats-in-use.ts';
import { isWildcard, topicMatches } from '../../../domain/administration/readers/topic.ts';
import type { Format } from '../../../domain/formats/mapping/format.ts';
import {
  findPasswords,
  loadLeavingReaders,
  loadReaders,
  type RegisteredReader,
  type WhichReaders,
} from '../../../domain/messages/load-readers.ts';
import type { WorkThreads } from '../../../platform/runtime/work-threads.ts';
import { Freshness } from './freshness.ts';

/**
 * The registered readers, in memory. Changes are announced by NOTIFY, which names what changed; the registry then
 * loads that and puts it in place at once, so that a message sees either the old readers or the new, never a
 * mixture. If a reader has given up its topic, the reader that has it now is loaded too, even if it is not announced
 * yet.
 *
 * Notifications may be late. Work that must respect every change whose command has ended, such as judging a message,
 * is done while the registry is fresh, or waits until it is.
 */
export interface Registry extends Pick<Freshness, 'isFresh' | 'whenFresh'> {
  byId(readerId: number): RegisteredReader | undefined;
  byUsername(username: string): RegisteredReader | undefined;
  byTopic(topic: string): RegisteredReader | undefined;
  /** Its organization moves to another cell, or has moved: it is no longer registered. */
  isLeaving(username: string): boolean;
  topics(): Iterable<string>;
  /**
   * Calls `listener` when readers may have come, gone, or have another topic or password.
   *
   * @returns a function that unsubscribes.
   */
  onChange(listener: () => void): () => void;
  /** Reloads everything. */
  refresh(): Promise<void>;
  /** SHA-256 of the present passwords in the database, independent of memory. */
  passwordsInDatabase(usernames: readonly string[]): Promise<ReadonlyMap<string, Buffer>>;
  close(): Promise<void>;
}

export interface RegistryOptions {
  url: string;
  pool: Pool;
  builtinFormats: ReadonlyMap<string, Format>;
  threads: WorkThreads;
  /** Called when readers cannot be loaded or watched; the last ones stay in effect. */
  onFault(error: unknown): void;
  /** Other channels to hear on the same connection, with their handlers. */
  alsoHear?: ReadonlyMap<string, (payload: string) => void>;
}

const CHANGED = 'registry_changed';

const DESCRIBE = new URL('../../../domain/formats/describe-sources.ts', import.meta.url).href;

/** Milliseconds; an organization's largest formats take a second. */
const MOST_CHECKING_MS = 60_000;

/** @throws the database's error if the first load fails. */
export async function openRegistry(options: RegistryOptions): Promise<Registry> {
  const { pool, builtinFormats, threads, onFault } = options;
  const readers = new ReadersInMemory();
  const announced = new Announced();
  const formats = new FormatsInUse({
    builtin: builtinFormats,
    check: (argument) =>
      threads.run({ module: DESCRIBE, name: 'describeSources', argument, most: MOST_CHECKING_MS }),
    onFault,
  });
  let leaving: ReadonlySet<string> = new Set();
  const listeners = new Set<() => void>();
  const load = async () => {
    let isOther = false;
    const isWhole = await announced.during(async (changes) => {
      const replace = await loadChanges(pool, { readers, formats }, changes);
      const areOrganizationsOther = changes === null || changes.orgIds.length > 0;
      if (areOrganizationsOther) {
        leaving = await loadLeavingReaders(pool);
      }
      isOther = replace() || areOrganizationsOther;
    });
    if (isOther) {
      for (const listener of listeners) {
        listener();
      }
    }
    return { isWhole };
  };
  const freshness = new Freshness({ load, onFault });
  const listener = await hearChanges(options, announced, freshness);
  freshness.follow(listener);
  await freshness.refresh().catch(async (error) => {
    await listener.close();
    throw error;
  });
  return {
    byId: (readerId) => readers.byId(readerId),
    byUsername: (username) => readers.byUsername(username),
    byTopic: (topic) => readers.byTopic(topic),
    isLeaving: (username) => leaving.has(username),
    topics: () => readers.topics(),
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    refresh: () => {
      announced.note('');
      return freshness.refresh();
    },
    passwordsInDatabase: (usernames) => findPasswords(pool, usernames),
    isFresh: () => freshness.isFresh(),
    whenFresh: (go, onFailure) => freshness.whenFresh(go, onFailure),
    close: async () => {
      freshness.close();
      await listener.close();
    },
  };
}

/**
 * Loads what was announced.
 *
 * @param changes null for everything.
 * @returns puts it in place, and says whether that changed anything that is registered.
 */
async function loadChanges(
  pool: Pool,
  { readers, formats }: { readers: ReadersInMemory; formats: FormatsInUse },
  changes: Changes | null,
): Promise<() => boolean> {
  const named = await loadReaders(pool, formats, changes);
  const freed = changes === null ? [] : readers.freedBy(changes, named);
  const heirs = freed.length === 0 ? [] : await loadReaders(pool, formats, { topics: freed });
  const loaded = [...new Map([...named, ...heirs].map((reader) => [reader.readerId, reader])).values()];
  const areFormatsOther =
    changes === null || changes.areFormats || loaded.some(({ formatName }) => !formats.knows(formatName));
  if (areFormatsOther) {
    await formats.load(pool);
  }
  return () => {
    const isOther = readers.replace(changes, loaded);
    if (areFormatsOther) {
      readers.useFormats(formats);
    }
    return isOther;
  };
}

function hearChanges(
  { url, alsoHear = new Map(), onFault }: Pick<RegistryOptions, 'url' | 'alsoHear' | 'onFault'>,
  announced: Announced,
  freshness: Freshness,
): Promise<Listener> {
  return listen(
    url,
    [CHANGED, ...alsoHear.keys()],
    {
      onNotify: (channel, payload) => {
        if (channel === CHANGED) {
          announced.note(payload);
          freshness.announced();
        } else {
          alsoHear.get(channel)?.(payload);
        }
      },
      onReconnect: () => {
        announced.note('');
        freshness.announced();
      },
      onHeard: (until) => freshness.heard(until),
      onLost: onFault,
    },
    { questionEvery: QUESTION_EVERY_MS },
  );
}

interface Changes extends Required<Pick<WhichReaders, 'orgIds' | 'readerIds'>> {
  areFormats: boolean;
}

/** Changes that are not loaded yet. */
class Announced {
  #isAll = true;
  #orgIds = new Set<number>();
  #readerIds = new Set<number>();
  #areFormats = false;

  /** @param payload of `notify_registry_changed`; anything else for all. */
  note(payload: string): void {
    const [, kind, id] = NAMED.exec(payload) ?? [];
    if (payload === 'formats') {
      this.#areFormats = true;
    } else if (kind === 'organization') {
      this.#orgIds.add(Number(id));
    } else if (kind === 'reader') {
      this.#readerIds.add(Number(id));
    } else {
      this.#isAll = true;
    }
  }

  /** @returns whether all is loaded. What fails is not lost. */
  async during(load: (changes: Changes | null) => Promise<void>): Promise<boolean> {
    const changes = this.#take();
    try {
      await load(changes);
    } catch (error) {
      this.#putBack(changes);
      throw error;
    }
    return changes === null;
  }

  /** Null for all, also for a load without an announcement: then it is unknown what changed. */
  #take(): Changes | null {
    const orgIds = [...this.#orgIds];
    const readerIds = [...this.#readerIds];
    const areFormats = this.#areFormats;
    const isAll = this.#isAll || !(orgIds.length > 0 || readerIds.length > 0 || areFormats);
    this.#isAll = false;
    this.#orgIds = new Set();
    this.#readerIds = new Set();
    this.#areFormats = false;
    return isAll ? null : { orgIds, readerIds, areFormats };
  }

  #putBack(changes: Changes | null): void {
    if (changes === null) {
      this.#isAll = true;
      return;
    }
    for (const id of changes.orgIds) {
      this.#orgIds.add(id);
    }
    for (const id of changes.readerIds) {
      this.#readerIds.add(id);
    }
    this.#areFormats ||= changes.areFormats;
  }
}

const NAMED = /^(organization|reader) (\d{1,10})$/;

/**
 * Topics and filters of readers deleted within this many days. A session that the broker keeps for an absent process
 * may still subscribe to them. Older ones are unsubscribed as messages arrive.
 */
export async function loadRetiredTopics(db: Connection, days: number): Promise<string[]> {
  const rows = await db.any(sql.type(rowsOf<{ topic: string }>())`
    select distinct reader.topic
     from readers reader join organizations organization on organization.id = reader.org_id
     where least(reader.deleted_at, organization.deleted_at) > now() - make_interval(days => ${days}::integer)`);
  return rows.map(({ topic }) => topic);
}

/**
 * The readers. The indexes hold ids, so that a reader that keeps its name and topic keeps its entries: 20,000 are replaced at once
 * without holding up others. The cost of a change depends only on the changed readers.
 */
class ReadersInMemory {
  readonly #byId = new Map<number, RegisteredReader>();
  readonly #idsByUsername = new Map<string, number>();
  readonly #idsByTopic = new Map<string, number>();
  readonly #idsByFilter = new Filters();
  /** Each message asks several times. */
  #lastFound: { topic: string; readerId: number | undefined } | null = null;

  byId(readerId: number): RegisteredReader | undefined {
    return this.#byId.get(readerId);
  }

  byUsername(username: string): RegisteredReader | undefined {
    return this.#withId(this.#idsByUsername.get(username));
  }

  byTopic(topic: string): RegisteredReader | undefined {
    return this.#withId(this.#idsByTopic.get(topic) ?? this.#findByFilter(topic));
  }

  topics(): Iterable<string> {
    return this.#idsByTopic.keys();
  }

  /** The topics that `which` readers no longer have. */
  freedBy(which: WhichReaders, now: readonly RegisteredReader[]): string[] {
    const topicsNow = new Map(now.map(({ readerId, topic }) => [readerId, topic]));
    return this.#those(which)
      .filter(({ readerId, topic }) => topicsNow.get(readerId) !== topic)
      .map(({ topic }) => topic);
  }

  /**
   * Replaces `which` readers, null for all, by the loaded ones, which may include others.
   *
   * @returns whether one came, went, or has another topic or password.
   */
  replace(which: WhichReaders | null, now: readonly RegisteredReader[]): boolean {
    const alsoNow = now.flatMap(({ readerId }) => this.#byId.get(readerId) ?? []);
    const before = [...new Set([...this.#those(which), ...alsoNow])];
    const byId = new Map(now.map((reader) => [reader.readerId, reader]));
    for (const reader of before) {
      const next = byId.get(reader.readerId);
      if (next?.topic !== reader.topic || next.username !== reader.username) {
        this.#remove(reader);
      }
    }
    for (const reader of now) {
      this.#put(reader);
    }
    return (
      before.length !== now.length || before.some((reader) => !isSameLogin(reader, byId.get(reader.readerId)))
    );
  }

  /** Gives readers their format's present version after it was stored, changed or deleted. */
  useFormats(formats: { get(name: string): RegisteredReader['format'] | undefined }): void {
    for (const reader of this.#byId.values()) {
      const format = formats.get(reader.formatName) ?? null;
      if (format !== reader.format) {
        this.#put({ ...reader, format });
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

  #findByFilter(topic: string): number | undefined {
    if (this.#lastFound?.topic !== topic) {
      this.#lastFound = { topic, readerId: this.#idsByFilter.find(topic) };
    }
    return this.#lastFound.readerId;
  }

  #withId(readerId: number | undefined): RegisteredReader | undefined {
    return readerId === undefined ? undefined : this.#byId.get(readerId);
  }

  #put(reader: RegisteredReader): void {
    const { readerId, username, topic } = reader;
    const hasTopic = this.#idsByTopic.get(topic) === readerId;
    this.#lastFound = null;
    this.#byId.set(readerId, reader);
    this.#idsByUsername.set(username, readerId);
    this.#idsByTopic.set(topic, readerId);
    if (!hasTopic && isWildcard(topic)) {
      this.#idsByFilter.add(topic, readerId);
    }
  }

  #remove({ readerId, username, topic }: RegisteredReader): void {
    this.#lastFound = null;
    this.#byId.delete(readerId);
    this.#idsByFilter.remove(topic, readerId);
    for (const [index, key] of [
      [this.#idsByUsername, username],
      [this.#idsByTopic, topic],
    ] as const) {
      // Another reader may have its topic by now.
      if (index.get(key) === readerId) {
        index.delete(key);
      }
    }
  }
}

/**
 * Ids of readers by their filters, as a tree of levels: thousands of filters that begin alike are not tried one by one. 20,000 of an
 * organization held the event loop for 30 ms at each message.
 */
class Filters {
  readonly #root = new Level('');
  /** By their first level, each with its reader. */
  readonly #alike = new Map<string, Map<string, number>>();

  add(filter: string, readerId: number): void {
    const alike = this.#alike.get(firstLevelOf(filter)) ?? new Map();
    this.#alike.set(firstLevelOf(filter), alike.set(filter, readerId));
    let level = this.#root;
    for (const name of filter.split('/')) {
      level = level.below(name) ?? level.add(new Level(name));
    }
    level.readerId = readerId;
  }

  remove(filter: string, readerId: number): void {
    const path = [this.#root];
    for (const name of filter.split('/')) {
      const below = path.at(-1)?.below(name);
      if (below === undefined) {
        return;
      }
      path.push(below);
    }
    const last = path.at(-1);
    // Another reader may have its topic by now.
    if (last?.readerId !== readerId) {
      return;
    }
    last.readerId = undefined;
    const alike = this.#alike.get(firstLevelOf(filter));
    if (alike?.delete(filter) && alike.size === 0) {
      this.#alike.delete(firstLevelOf(filter));
    }
    for (let level = path.pop(); level?.isEmpty && path.length > 0; level = path.pop()) {
      path.at(-1)?.drop(level);
    }
  }

  find(topic: string): number | undefined {
    if (topic.startsWith('$')) {
      return undefined;
    }
    const names = topic.split('/');
    const open: [level: Level, depth: number][] = [[this.#root, 0]];
    for (let next = open.pop(), looks = 0; next !== undefined; next = open.pop(), looks++) {
      if (looks > MOST_LOOKS) {
        return this.#findOneByOne(topic);
      }
      const [level, depth] = next;
      const name = names[depth];
      const found = level.below('#')?.readerId ?? (name === undefined ? level.readerId : undefined);
      if (found !== undefined) {
        return found;
      }
      for (const each of name === undefined ? [] : new Set(['+', name])) {
        const below = level.below(each);
        if (below !== undefined) {
          open.push([below, depth + 1]);
        }
      }
    }
    return undefined;
  }

  #findOneByOne(topic: string): number | undefined {
    for (const first of [firstLevelOf(topic), '+', '#']) {
      for (const [filter, readerId] of this.#alike.get(first) ?? []) {
        if (topicMatches(filter, topic)) {
          return readerId;
        }
      }
    }
    return undefined;
  }
}

/** Levels to look at for a topic. With wildcards in thousands of different places, trying each filter is faster. */
const MOST_LOOKS = 1_000;

function firstLevelOf(topic: string): string {
  return topic.split('/', 1)[0] ?? '';
}

class Level {
  readonly name: string;
  /** The reader whose filter ends here. */
  readerId: number | undefined;
  /** The levels below. Most nodes have one; a map for each would take 150 MB for 20,000 filters of 32 levels. */
  #first: Level | undefined;
  #others: Map<string, Level> | undefined;

  constructor(name: string) {
    this.name = name;
  }

  get isEmpty(): boolean {
    return this.readerId === undefined && this.#first === undefined && !this.#others?.size;
  }

  below(name: string): Level | undefined {
    return this.#first?.name === name ? this.#first : this.#others?.get(name);
  }

  /** @returns what is added. */
  add(level: Level): Level {
    if (this.#first === undefined) {
      this.#first = level;
    } else {
      this.#others ??= new Map();
      this.#others.set(level.name, level);
    }
    return level;
  }

  drop(level: Level): void {
    if (this.#first === level) {
      this.#first = undefined;
    } else {
      this.#others?.delete(level.name);
    }
  }
}

function isSameLogin(reader: RegisteredReader, now: RegisteredReader | undefined): boolean {
  return (
    now !== undefined &&
    now.topic === reader.topic &&
    now.username === reader.username &&
    now.passwordSha256.equals(reader.passwordSha256)
  );
}

/** Why a client should reconnect: perhaps to the other cell, perhaps to this one. */
export const LEAVING = 'its organization moves to another cell, or has moved; it is to connect again';

const UNREGISTERED = 'the reader was deleted, or has another password since';

/** Undefined if the signed-in reader was deleted, its password has changed, or its organization moves to another cell. */
export function asRegistered(
  registry: Pick<Registry, 'byUsername'>,
  signedInAs: RegisteredReader,
): RegisteredReader | undefined {
  const reader = registry.byUsername(signedInAs.username);
  return reader === signedInAs || reader?.passwordSha256.equals(signedInAs.passwordSha256) === true
    ? reader
    : undefined;
}

/** Why nothing more is taken from a connection. */
export function whyUnregistered(registry: Pick<Registry, 'isLeaving'>, username: string | null): string {
  return username !== null && registry.isLeaving(username) ? LEAVING : UNREGISTERED;
}
