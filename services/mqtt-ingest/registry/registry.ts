import { QUESTION_EVERY_MS } from '../../../base/heard-everywhere.ts';
import type { Pool } from '../../../db/timescale/connections/client.ts';
import { type Listener, listen } from '../../../db/timescale/connections/listen.ts';
import { FormatsInUse } from '../../../domain/administration/formats/formats-in-use.ts';
import { isWildcard, topicMatches } from '../../../domain/administration/readers/topic.ts';
import type { Format } from '../../../domain/formats/mapping/format.ts';
import { loadLeavingReaders } from '../../../domain/messages/load-leaving-readers.ts';
import { findPasswords, loadReaders, type RegisteredReader } from '../../../domain/messages/load-readers.ts';
import type { WorkThreads } from '../../../platform/runtime/work-threads.ts';
import { Freshness } from './freshness.ts';

/**
 * The registered readers, in memory. Changes are announced by NOTIFY; the registry then reloads the readers of the
 * organizations that are named and swaps, so that a message sees either the old set or the new, never a mixture.
 *
 * Notifications may be late. Work that must respect every change whose command has ended, such as judging a message, is
 * done while the registry is fresh, or waits until it is.
 */
export interface Registry extends Pick<Freshness, 'isFresh' | 'whenFresh'> {
  byUsername(username: string): RegisteredReader | undefined;
  byTopic(topic: string): RegisteredReader | undefined;
  /** Its organization moves to another cell, or has moved: it is no longer registered. */
  isLeaving(username: string): boolean;
  topics(): Iterable<string>;
  /** Calls `listener` after every reload. @returns a function that unsubscribes. */
  onChange(listener: () => void): () => void;
  /** Reloads everything. */
  refresh(): Promise<void>;
  /** SHA-256 of the passwords that user names have in the database now, whatever is in memory. */
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
  /** Other channels to be heard on the same connection, and what is done about an announcement. */
  alsoHear?: ReadonlyMap<string, (payload: string) => void>;
}

const CHANGED = 'registry_changed';

const DESCRIBE = new URL('../../../domain/formats/describe-sources.ts', import.meta.url).href;

/** Milliseconds; an organization's largest formats take a second. */
const MOST_CHECKING_MS = 60_000;

/** @throws the database's error if the first load fails. */
export async function openRegistry(options: RegistryOptions): Promise<Registry> {
  const { url, pool, builtinFormats, threads, onFault, alsoHear = new Map() } = options;
  let readers = indexed([]);
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
    const orgIds = announced.take();
    try {
      await formats.load(pool);
      const loaded = await loadReaders(pool, formats, orgIds);
      const others = orgIds === null ? [] : readers.all.filter(({ orgId }) => !orgIds.includes(orgId));
      leaving = await loadLeavingReaders(pool);
      readers = indexed([...others, ...loaded]);
    } catch (error) {
      announced.putBack(orgIds);
      throw error;
    }
    for (const listener of listeners) {
      listener();
    }
    return { isWhole: orgIds === null };
  };
  const freshness = new Freshness({ load, onFault });
  const listener: Listener = await listen(
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
  freshness.follow(listener);
  try {
    await freshness.refresh();
  } catch (error) {
    await listener.close();
    throw error;
  }
  return {
    byUsername: (username) => readers.byUsername.get(username),
    byTopic: (topic) =>
      readers.byTopic.get(topic) ?? readers.wildcards.find((reader) => topicMatches(reader.topic, topic)),
    isLeaving: (username) => leaving.has(username),
    topics: () => readers.byTopic.keys(),
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

/** Organizations with changes that are not loaded. */
class Announced {
  /** Null for all. */
  #orgIds: Set<number> | null = null;

  /** @param payload the number of an organization, or nothing for all. */
  note(payload: string): void {
    const orgId = Number(payload);
    if (payload === '' || !Number.isInteger(orgId)) {
      this.#orgIds = null;
    } else {
      this.#orgIds?.add(orgId);
    }
  }

  /** Null for all, also where a load was asked for without an announcement: nobody knows then what changed. */
  take(): readonly number[] | null {
    const orgIds = this.#orgIds === null || this.#orgIds.size === 0 ? null : [...this.#orgIds];
    this.#orgIds = new Set();
    return orgIds;
  }

  putBack(orgIds: readonly number[] | null): void {
    if (orgIds === null) {
      this.#orgIds = null;
    }
    for (const orgId of orgIds ?? []) {
      this.#orgIds?.add(orgId);
    }
  }
}

function indexed(readers: readonly RegisteredReader[]) {
  return {
    all: readers,
    byUsername: new Map(readers.map((reader) => [reader.username, reader])),
    byTopic: new Map(readers.map((reader) => [reader.topic, reader])),
    wildcards: readers.filter(({ topic }) => isWildcard(topic)),
  };
}
