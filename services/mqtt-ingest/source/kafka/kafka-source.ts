import { setTimeout as pause } from 'node:timers/promises';

// Kept, and without native code: KafkaJS has no releases any more, Confluent's client loads a binary when it is installed.
import { Consumer, type Message, type MessagesStream } from '@platformatic/kafka';
import type { Logger } from 'pino';
import { messageOf } from '../../../../base/errors.ts';
import type { IncomingMessage } from '../../../../domain/messages/message.ts';
import type { Intake } from '../../intake/intake.ts';
import type { Registry } from '../../registry/registry.ts';
import { BackOff } from '../back-off.ts';
import { HeldMessages, MOST_HELD, MOST_WAITING, NOBODY, type Owner } from '../held-messages.ts';
import { kafkaClientOf, rootOf } from './kafka-client.ts';
import type { KafkaAddress } from './kafka-settings.ts';

export interface KafkaFigures {
  isConnected: boolean;
  /** Counted since the start, as is the next. */
  received: number;
  committed: number;
  heldMessages: number;
  /** Records of the partitions of this process that the group has not passed. */
  lag: number;
}

export interface KafkaSource {
  figures(): KafkaFigures;
  /** Milliseconds since its group was last heard; null while it is not connected. */
  quietFor(): number | null;
  /** @throws the reason if not connected. */
  requireConnected(): Promise<void>;
  /**
   * Takes no more records, waits at most `patience` milliseconds for those taken, commits their offsets and leaves the
   * group.
   */
  stop(patience: number): Promise<void>;
}

interface Options {
  address: KafkaAddress;
  clientId: string;
  intake: Intake;
  registry: Pick<Registry, 'byTopic'>;
  log: Logger;
}

type Record = Message<Buffer, Buffer, Buffer, Buffer>;
type Records = MessagesStream<Buffer, Buffer, Buffer, Buffer>;

/**
 * Takes records of Kafka as messages of readers. An offset is committed only when the messages before it are, so records come
 * again after a kill or a rebalance; each is known by its partition and offset, and counts once.
 *
 * A consumer is never repaired, only followed by a new one.
 */
export function startKafkaSource(options: Options): KafkaSource {
  return new LiveKafka(options);
}

class LiveKafka implements KafkaSource {
  readonly #options: Options;
  readonly #held = new HeldMessages(MOST_HELD, MOST_WAITING);
  readonly #stopping = new AbortController();
  readonly #backOff = new BackOff(RECONNECT);
  readonly #counts = { received: 0, committed: 0 };
  readonly #living: Promise<void>;
  #patience = 0;
  #current: Consuming | null = null;
  #fault = new Error('not connected yet');

  constructor(options: Options) {
    this.#options = options;
    this.#living = this.#live();
  }

  figures(): KafkaFigures {
    return {
      ...this.#counts,
      isConnected: this.quietFor() !== null,
      heldMessages: this.#held.messages + this.#held.waiting.messages,
      lag: this.#current?.lag ?? 0,
    };
  }

  quietFor(): number | null {
    return this.#current?.quietFor() ?? null;
  }

  async requireConnected(): Promise<void> {
    if (this.quietFor() === null) {
      throw new Error(`not connected to Kafka: ${this.#fault.message}`);
    }
  }

  async stop(patience: number): Promise<void> {
    this.#patience = patience;
    this.#stopping.abort();
    this.#current?.end(null);
    await this.#living;
  }

  async #live(): Promise<void> {
    const { log, ...parts } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const consuming = new Consuming({ ...parts, held: this.#held, counts: this.#counts });
      this.#current = consuming;
      const since = performance.now();
      try {
        await consuming.run(signal, () => this.#patience);
      } catch (error) {
        const reason = messageOf(rootOf(error));
        const isNews = reason !== this.#fault.message;
        this.#fault = new Error(reason);
        log[isNews ? 'warn' : 'debug']({ reason }, 'Kafka cannot be read; will retry');
      }
      this.#current = null;
      if (performance.now() - since > STABLE) {
        this.#backOff.reset();
      }
      if (!signal.aborted) {
        await pause(this.#backOff.next(), undefined, { signal }).catch(() => {});
      }
    }
  }
}

interface Parts extends Pick<Options, 'address' | 'clientId' | 'intake' | 'registry'> {
  held: HeldMessages;
  counts: { received: number; committed: number };
}

/** One consumer, from joining the group to its end. */
class Consuming {
  readonly #parts: Parts;
  readonly #consumer: Consumer<Buffer, Buffer, Buffer, Buffer>;
  readonly #partitions = new Map<string, TakenOffsets>();
  /** Partitions from which nothing was taken since they were assigned. */
  readonly #new = new Set<string>();
  readonly #epochs = new Map<string, number>();
  readonly #ended = Promise.withResolvers<void>();
  #underWay = 0;
  #whenNone = Promise.withResolvers<void>();
  #stream: Records | null = null;
  #joins = 0;
  #isOver = false;
  #fault: Error | null = null;
  #lag = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#consumer = new Consumer<Buffer, Buffer, Buffer, Buffer>({
      clientId: parts.clientId,
      groupId: parts.address.group,
      ...kafkaClientOf(parts.address),
      ...GROUP,
      autocommit: false,
      ...FETCH,
      retries: 2,
      retryDelay: 500,
    });
    this.#consumer.on('consumer:group:join', () => {
      this.#joins += 1;
    });
    this.#consumer.on('consumer:lag', (lag) => {
      const behind = [...lag.values()].flat().filter((each) => each > 0n);
      this.#lag = Number(behind.reduce((sum, each) => sum + each, 0n));
    });
    this.#consumer.on('consumer:lag:error', () => {});
    this.#consumer.on('consumer:heartbeat:error', ({ error }) => {
      this.#fault ??= this.#consumer.isActive() ? null : error;
    });
  }

  get lag(): number {
    return this.#lag;
  }

  quietFor(): number | null {
    const { lastHeartbeat } = this.#consumer;
    return this.#stream === null || this.#stream.destroyed || this.#joins === 0
      ? null
      : Math.max(0, Date.now() - (lastHeartbeat?.getTime() ?? Date.now()));
  }

  /** @param error null for a clean end. */
  end(error: Error | null): void {
    this.#fault ??= error;
    this.#ended.resolve();
  }

  /** @throws the reason why it ended, unless it was stopped. */
  async run(signal: AbortSignal, patience: () => number): Promise<void> {
    const committing = setInterval(() => void this.#commit(), COMMIT_EVERY);
    try {
      const { topics } = this.#parts.address;
      const stream = await this.#consumer.consume({
        topics: [...topics],
        mode: 'committed',
        // Records from before the group existed are taken, too: late reads are worked into the past.
        fallbackMode: 'earliest',
      });
      this.#stream = stream;
      stream.on('offsets', () => this.#follow(stream));
      this.#follow(stream);
      this.#consumer.startLagMonitoring({ topics: [...topics] }, LAG_EVERY);
      await Promise.race([this.#takeAll(stream, signal), this.#ended.promise]);
      if (this.#fault !== null) {
        throw this.#fault;
      }
      if (this.#underWay > 0 && patience() > 0) {
        await Promise.race([this.#whenNone.promise, pause(patience(), undefined, { ref: false })]);
      }
      await this.#commit();
    } finally {
      this.#isOver = true;
      clearInterval(committing);
      this.#consumer.stopLagMonitoring();
      this.#stream?.destroy();
      await this.#consumer.close(true).catch(() => {});
    }
  }

  /** Continues with the partitions assigned after a rebalance, and forgets the others. */
  #follow(stream: Records): void {
    const assigned = new Set(
      (this.#consumer.assignments ?? []).flatMap(({ topic, partitions }) =>
        partitions.map((partition) => `${topic}:${partition}`),
      ),
    );
    for (const key of this.#partitions.keys()) {
      if (!assigned.has(key)) {
        this.#partitions.delete(key);
        this.#new.delete(key);
      }
    }
    for (const key of assigned) {
      const from = stream.offsetsToFetch.get(key);
      if (from !== undefined && !this.#partitions.has(key)) {
        this.#partitions.set(key, new TakenOffsets(from));
        this.#new.add(key);
      }
    }
  }

  async #takeAll(stream: Records, signal: AbortSignal): Promise<void> {
    for await (const record of stream) {
      if (signal.aborted) {
        return;
      }
      await this.#take(record);
    }
    throw this.#fault ?? new Error('the stream of records ended');
  }

  /** @throws if it is unknown whether earlier records were taken. */
  async #take(record: Record): Promise<void> {
    const key = `${record.topic}:${record.partition}`;
    const taken = this.#partitions.get(key);
    if (taken === undefined) {
      return;
    }
    if (this.#new.has(key) && record.offset !== taken.next && this.#joins > 1) {
      // The record may have been fetched before a rebalance. A new consumer starts at the committed offset.
      throw new Error(`partition ${key} came back at another offset`);
    }
    const done = taken.take(record.offset);
    this.#new.delete(key);
    this.#epochs.set(key, record.leaderEpoch);
    if (done === null) {
      return;
    }
    const { held, counts } = this.#parts;
    // Keeps nothing else of the record: its headers may be a mebibyte.
    const message = incomingOf(record);
    const bytes = message.payload.length + message.topic.length;
    const owner = this.#ownerOf(message.topic);
    counts.received += 1;
    this.#underWay += 1;
    const go = () =>
      void this.#record(message, done).then(() => {
        held.leave(bytes, owner);
        this.#left();
      });
    if (!held.enter(bytes, go, owner)) {
      // A copy: the payload may be a slice of a whole fetch, all of which it would keep in memory.
      message.payload = Buffer.from(message.payload);
      await new Promise<void>((proceed) => held.readOn(proceed));
    }
    if (taken.size > MOST_TAKEN) {
      await pause(COMMIT_EVERY);
    }
  }

  #left(): void {
    this.#underWay -= 1;
    if (this.#underWay === 0) {
      this.#whenNone.resolve();
      this.#whenNone = Promise.withResolvers();
    }
  }

  #ownerOf(topic: string): Owner {
    const reader = this.#parts.registry.byTopic(topic);
    return reader === undefined ? NOBODY : { orgId: reader.orgId, reader: reader.username };
  }

  /** Records that still wait when the consumer has ended come again. */
  async #record(message: IncomingMessage, done: () => void): Promise<void> {
    if (this.#isOver) {
      return;
    }
    try {
      await this.#parts.intake.receive(message);
      this.#parts.counts.committed += 1;
      done();
    } catch (error) {
      this.end(new Error(`a record could not be recorded: ${messageOf(error)}`));
    }
  }

  async #commit(): Promise<void> {
    const offsets = [...this.#partitions].flatMap(([key, taken]) => {
      const offset = taken.toCommit();
      const colon = key.lastIndexOf(':');
      const [topic, partition] = [key.slice(0, colon), Number(key.slice(colon + 1))];
      return offset === null
        ? []
        : [{ topic, partition, offset, leaderEpoch: this.#epochs.get(key) ?? -1, taken }];
    });
    if (offsets.length === 0 || !this.#consumer.isActive()) {
      return;
    }
    try {
      await this.#consumer.commit({ offsets: offsets.map(({ taken: _, ...each }) => each) });
      for (const { taken, offset } of offsets) {
        taken.committed(offset);
      }
    } catch {
      // The next one says as much; until then the records would come again.
    }
  }
}

function incomingOf(record: Record): IncomingMessage {
  return {
    topic: topicOf(record),
    payload: record.value ?? NOTHING,
    // Kafka does not say whether it is a repetition; the offset identifies it.
    isDup: true,
    sender: `kafka ${record.topic} ${record.partition}`,
    packetId: String(record.offset),
    isStale: false,
  };
}

/** A header says the topic of MQTT, else the key does, else the topic of Kafka with its dots as slashes. */
export function topicOf({ topic, key, headers }: Pick<Record, 'topic' | 'key' | 'headers'>): string {
  for (const [name, value] of headers) {
    if (value !== null && name?.equals(TOPIC_HEADER)) {
      return textOf(value);
    }
  }
  const text = textOf(key ?? NOTHING);
  return text === '' ? topic.replaceAll('.', '/') : text;
}

const TOPIC_HEADER = Buffer.from('mqtt-topic');

const NOTHING = Buffer.alloc(0);

/** No topic of MQTT is longer, so no reader's is cut. */
function textOf(bytes: Buffer): string {
  return bytes.toString('utf8', 0, LONGEST_TOPIC);
}

const LONGEST_TOPIC = 65_535;

/** Milliseconds: a killed process is noticed after the first. */
const GROUP = { sessionTimeout: 10_000, rebalanceTimeout: 20_000, heartbeatInterval: 1_000 };

/** Bytes of a fetch, all held in memory; milliseconds that Kafka waits for records. */
const FETCH = { maxBytes: 4_194_304, maxBytesPerPartition: 1_048_576, maxWaitTime: 500, highWaterMark: 64 };

/** Milliseconds. */
const COMMIT_EVERY = 200;
const LAG_EVERY = 10_000;
const RECONNECT = { first: 200, longest: 5_000 };
const STABLE = 10_000;

/** Records of a partition taken after one that takes long. */
const MOST_TAKEN = 100_000;

/**
 * Records taken from one partition: up to where all are done, so that the offset can be committed. After a rebalance
 * Kafka reads from the committed offset on, so records may come again that are still in work here.
 */
export class TakenOffsets {
  /** The first offset that was not taken. */
  #next: bigint;
  #committable: bigint;
  #committed: bigint;
  readonly #taken: { offset: bigint; isDone: boolean }[] = [];

  constructor(from: bigint) {
    this.#next = from;
    this.#committable = from;
    this.#committed = from;
  }

  get next(): bigint {
    return this.#next;
  }

  /** How many are taken and not passed. */
  get size(): number {
    return this.#taken.length;
  }

  /** @returns a function to call when its message is recorded; null if it was taken before. */
  take(offset: bigint): (() => void) | null {
    if (offset < this.#next) {
      return null;
    }
    const entry = { offset, isDone: false };
    this.#taken.push(entry);
    this.#next = offset + 1n;
    return () => {
      entry.isDone = true;
      this.#pass();
    };
  }

  /** The offset to commit; null if it is committed. */
  toCommit(): bigint | null {
    return this.#committable > this.#committed ? this.#committable : null;
  }

  committed(offset: bigint): void {
    this.#committed = offset > this.#committed ? offset : this.#committed;
  }

  #pass(): void {
    const end = this.#taken.findIndex(({ isDone }) => !isDone);
    const passed = this.#taken.splice(0, end === -1 ? this.#taken.length : end);
    const last = passed.at(-1);
    this.#committable = last === undefined ? this.#committable : last.offset + 1n;
  }
}
