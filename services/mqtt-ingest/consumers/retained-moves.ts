import { Readable } from 'node:stream';
import { Turns } from '../../../base/each-in-turns.ts';
import { isWildcard, topicMatches } from '../../../domain/administration/readers/topic.ts';
import { discoveryNode } from '../moves-out/home-assistant.ts';
import type { Destination, Message } from '../moves-out/messages.ts';
import { ReaderSessions } from '../source/reader-sessions.ts';

interface Retained {
  topic: string;
  payload: Buffer;
}

/** The retained messages below one root, which belongs to one organization. */
interface Root {
  byTopic: Map<string, Retained>;
  bytes: number;
}

/**
 * The embedded broker's retained messages for consumers, kept per organization, so that the cost of a subscription
 * depends only on its organization and the few sessions of {@link ReaderSessions}.
 */
export class RetainedMoves extends ReaderSessions {
  readonly #to: Destination;
  readonly #roots = new Map<string, Root>();

  constructor(to: Destination) {
    super();
    this.#to = to;
  }

  /** Whether the organization has room for another retained message. */
  hasRoomFor({ topic, payload }: Message): boolean {
    const root = this.#roots.get(this.#rootOf(topic));
    const before = root?.byTopic.get(topic)?.payload.length ?? 0;
    return (root?.bytes ?? 0) - before + Buffer.byteLength(payload) <= MOST_RETAINED;
  }

  /** Messages that are retained for an organization. */
  count(orgId: number): number {
    return rootsOf(this.#to, orgId).reduce(
      (sum, name) => sum + (this.#roots.get(name)?.byTopic.size ?? 0),
      0,
    );
  }

  override async storeRetained(packet?: Retained): Promise<void> {
    if (packet === undefined) {
      return;
    }
    const { topic, payload } = packet;
    const name = this.#rootOf(topic);
    const root = this.#roots.get(name) ?? { byTopic: new Map(), bytes: 0 };
    root.bytes += payload.length - (root.byTopic.get(topic)?.payload.length ?? 0);
    if (payload.length === 0) {
      root.byTopic.delete(topic);
    } else {
      root.byTopic.set(topic, { topic, payload });
    }
    root.byTopic.size === 0 ? this.#roots.delete(name) : this.#roots.set(name, root);
  }

  override createRetainedStreamCombi(filters: readonly string[] = []): Readable {
    return Readable.from(this.#matching(filters));
  }

  async *#matching(filters: readonly string[]): AsyncGenerator<object> {
    const given = new Set<string>();
    const turns = new Turns();
    for (const filter of filters) {
      for (const { topic, payload } of this.#below(filter)) {
        if (!given.has(topic) && topicMatches(filter, topic)) {
          given.add(topic);
          yield { cmd: 'publish', topic, payload, qos: 1, retain: true };
        }
        await turns.next();
      }
    }
  }

  /** Candidates for a filter; below discovery, whose topics all consumers share, those of all organizations. */
  *#below(filter: string): Generator<Retained> {
    const name = this.#rootOf(filter);
    const root = this.#roots.get(name);
    if (root !== undefined) {
      const exact = root.byTopic.get(filter);
      yield* isWildcard(filter) ? root.byTopic.values() : exact === undefined ? [] : [exact];
    } else if (isWildcard(name)) {
      for (const [other, { byTopic }] of this.#roots) {
        if (this.#isDiscovery(other)) {
          yield* byTopic.values();
        }
      }
    }
  }

  /** The first levels of a topic or filter, which say whose it is. */
  #rootOf(topic: string): string {
    const { prefix, homeAssistant } = this.#to;
    const levels = topic.split('/');
    return levels
      .slice(0, this.#isDiscovery(topic) ? depthOf(homeAssistant ?? '') + 2 : depthOf(prefix) + 1)
      .join('/');
  }

  #isDiscovery(topic: string): boolean {
    const { prefix, homeAssistant } = this.#to;
    return homeAssistant !== null && topic.startsWith(`${homeAssistant}/`) && !topic.startsWith(`${prefix}/`);
  }
}

/** The first levels of an organization's topics. */
export function rootsOf({ prefix, homeAssistant }: Destination, orgId: number): string[] {
  return [
    `${prefix}/${orgId}`,
    ...(homeAssistant === null ? [] : [`${homeAssistant}/sensor/${discoveryNode(orgId)}`]),
  ];
}

function depthOf(prefix: string): number {
  return prefix.split('/').length;
}

/** Bytes that an organization may have retained, of moves and of discovery each: some hundred thousand assets. */
const MOST_RETAINED = 256 * 1024 * 1024;
