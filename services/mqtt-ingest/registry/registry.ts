import { QUESTION_EVERY_MS } from '../../../base/heard-everywhere.ts';
import type { Pool } from '../../../db/timescale/connections/client.ts';
import { type Listener, listen } from '../../../db/timescale/connections/listen.ts';
import { loadFormats } from '../../../domain/administration/formats/load-formats.ts';
import { isWildcard, topicMatches } from '../../../domain/administration/readers/topic.ts';
import type { Format } from '../../../domain/formats/mapping/format.ts';
import { loadLeavingReaders } from '../../../domain/messages/load-leaving-readers.ts';
import { loadReaders, type RegisteredReader } from '../../../domain/messages/load-readers.ts';
import { Freshness } from './freshness.ts';

/**
 * The registered readers, in memory. Changes are announced by NOTIFY; the registry then reloads all and swaps, so that
 * a message sees either the old set or the new, never a mixture.
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
  refresh(): Promise<void>;
  close(): Promise<void>;
}

export interface RegistryOptions {
  url: string;
  pool: Pool;
  builtinFormats: ReadonlyMap<string, Format>;
  /** Called when readers cannot be loaded or watched; the last ones stay in effect. */
  onFault(error: unknown): void;
  /** Other channels to be heard on the same connection, and what is done about an announcement. */
  alsoHear?: ReadonlyMap<string, (payload: string) => void>;
}

const CHANGED = 'registry_changed';

/** @throws the database's error if the first load fails. */
export async function openRegistry(options: RegistryOptions): Promise<Registry> {
  const { url, pool, builtinFormats, onFault, alsoHear = new Map() } = options;
  let readers = indexed([]);
  let leaving: ReadonlySet<string> = new Set();
  const listeners = new Set<() => void>();
  const load = async () => {
    const formats = await loadFormats(pool, builtinFormats, onFault);
    const registered = indexed(await loadReaders(pool, formats));
    leaving = await loadLeavingReaders(pool);
    readers = registered;
    for (const listener of listeners) {
      listener();
    }
  };
  const freshness = new Freshness({ load, onFault });
  const listener: Listener = await listen(
    url,
    [CHANGED, ...alsoHear.keys()],
    {
      onNotify: (channel, payload) =>
        channel === CHANGED ? freshness.announced() : alsoHear.get(channel)?.(payload),
      onReconnect: () => freshness.announced(),
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
    refresh: freshness.refresh,
    isFresh: () => freshness.isFresh(),
    whenFresh: (go, onFailure) => freshness.whenFresh(go, onFailure),
    close: async () => {
      freshness.close();
      await listener.close();
    },
  };
}

function indexed(readers: readonly RegisteredReader[]) {
  return {
    byUsername: new Map(readers.map((reader) => [reader.username, reader])),
    byTopic: new Map(readers.map((reader) => [reader.topic, reader])),
    wildcards: readers.filter(({ topic }) => isWildcard(topic)),
  };
}
