import { QUESTION_EVERY_MS } from '../../../base/heard-everywhere.ts';
import type { Pool } from '../../../db/timescale/connections/client.ts';
import { type Listener, listen } from '../../../db/timescale/connections/listen.ts';
import { loadFormats } from '../../../domain/administration/formats/load-formats.ts';
import { isWildcard, topicMatches } from '../../../domain/administration/readers/topic.ts';
import type { Format } from '../../../domain/formats/mapping/format.ts';
import { Freshness } from './freshness.ts';
import { loadReaders, type RegisteredReader } from './load-readers.ts';

/**
 * The registered readers, in memory. Whoever changes one in the database announces it by NOTIFY; the registry then
 * loads them all anew and swaps, so that a message meets either the old set or the new, never a mixture.
 *
 * Notifications may come late. What is to be done by every change whose command has ended, as a message is to be judged,
 * is done while the registry is fresh, or waits until it is.
 */
export interface Registry extends Pick<Freshness, 'isFresh' | 'whenFresh'> {
  byUsername(username: string): RegisteredReader | undefined;
  byTopic(topic: string): RegisteredReader | undefined;
  /** The topics and topic filters of all readers. */
  topics(): Iterable<string>;
  /** Has `listener` called whenever the readers were loaded anew. @returns how to stop that. */
  onChange(listener: () => void): () => void;
  /** Loads anew; resolves when what was committed before the call is in effect. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}

export interface RegistryOptions {
  url: string;
  pool: Pool;
  builtinFormats: ReadonlyMap<string, Format>;
  /** Told when readers could not be loaded or are not being watched; the last loaded stay in effect. */
  onFault(error: unknown): void;
}

/** @throws the database's error if the readers cannot be loaded at the start. */
export async function openRegistry(options: RegistryOptions): Promise<Registry> {
  const { url, pool, builtinFormats, onFault } = options;
  let readers = indexed([]);
  const listeners = new Set<() => void>();
  const load = async () => {
    const formats = await loadFormats(pool, builtinFormats, onFault);
    readers = indexed(await loadReaders(pool, formats));
    for (const listener of listeners) {
      listener();
    }
  };
  const freshness = new Freshness({ load, onFault });
  const listener: Listener = await listen(
    url,
    ['registry_changed'],
    {
      onNotify: () => freshness.announced(),
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
