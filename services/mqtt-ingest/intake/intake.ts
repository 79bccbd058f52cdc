import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../../../base/clock.ts';
import { MICROS_PER_MILLISECOND, type Micros } from '../../../base/instant.ts';
import type { Pool } from '../../../db/timescale/connections/client.ts';
import { isCancelled, isLockTimeout } from '../../../db/timescale/connections/sql-state.ts';
import { inMarkedTransaction, wasCommitted } from '../../../db/timescale/connections/transaction.ts';
import { type Mapped, mapBriefly } from '../../../domain/formats/mapping/run.ts';
import { isFaultOfMessage } from '../../../domain/messages/fault-of-message.ts';
import { hasCounted } from '../../../domain/messages/has-counted.ts';
import { type Readable, readableBy, refused } from '../../../domain/messages/judge.ts';
import type { RegisteredReader } from '../../../domain/messages/load-readers.ts';
import { type IncomingMessage, MessageAsRead, type ReadMessage } from '../../../domain/messages/message.ts';
import { ReaderClocks, withoutUnsetTimes } from '../../../domain/messages/reader-clocks.ts';
import { type MessageOutcome, recordMessages } from '../../../domain/messages/record-messages.ts';
import { OrganizationGone, requireHere } from '../../../domain/messages/require-here.ts';
import { type Turn, UnderWay } from '../../../domain/presence/watching/under-way.ts';
import { BatchClosed, type Pace } from '../../../domain/tracking/batch.ts';
import type { DatabaseClock } from '../../../domain/tracking/database-clock.ts';
import { announcingMoves } from '../../../domain/tracking/feed/unsealed-move.ts';
import {
  HeavyOrganizations,
  TooHeavy,
  Workload,
} from '../../../domain/tracking/location/heavy-organizations.ts';
import { TooManyScans } from '../../../domain/tracking/location/load-stretches.ts';
import { RecentHearings } from '../../../domain/tracking/location/recent-hearings.ts';
import type { TimeRules } from '../../../domain/tracking/observed-at.ts';
import { RecentReadings } from '../../../domain/tracking/recent-readings.ts';
import { RecentlySeen, RecentRepeats } from '../../../domain/tracking/recently-seen.ts';
import { AlreadyStored } from '../../../domain/tracking/record.ts';
import type { ReaderListening } from '../listening/listening.ts';
import { asRegistered, type Registry, whyUnregistered } from '../registry/registry.ts';
import { exactlyOnce } from './exactly-once.ts';
import { InOrder } from './in-order.ts';
import { isLarge, type LargeMessages } from './large-messages.ts';
import { NO_READER, ReaderLanes } from './reader-lanes.ts';
import { type ReaderWarning, ReaderWarnings } from './reader-warnings.ts';
import { SlowMessages } from './slow-messages.ts';

/**
 * Sink of every message source: `receive` resolves once the message, whatever its outcome, is committed. A
 * source that acknowledges then delivers at least once and loses nothing.
 */
export interface Intake {
  /**
   * @param publisher the authenticated sender; otherwise the topic determines the reader.
   * @throws the error that prevented the commit; the message must then stay unacknowledged.
   */
  receive(message: IncomingMessage, publisher?: RegisteredReader): Promise<MessageOutcome>;
  /**
   * Stops taking messages and waits for those taken; during an outage for at most `patience` milliseconds.
   */
  drain(patience: number): Promise<void>;
  /**
   * The time up to which every received message is committed or refused, except {@link slow} ones and those of readers
   * that wait for a lock of another session.
   */
  settledUpTo(): Micros;
  /** Messages that took too long to record; each waits alone. */
  readonly slow: number;
}

export interface IntakeOptions {
  pool: Pool;
  registry: Registry;
  clock: Clock;
  databaseClock?: DatabaseClock;
  largeMessages: LargeMessages;
  rules: TimeRules;
  onOutage(error: unknown): void;
  /** Called for each reader whose messages wait for a lock of another database session, at each attempt. */
  onBlocked?(error: unknown, message: ReadMessage): void;
  /** Called at each attempt for a message that took too long to record and waits alone. */
  onSlow?(error: unknown, message: ReadMessage): void;
  /** Called for a poison message, which cannot be recorded by its own fault; it is kept as rejected. */
  onPoison(error: unknown, message: ReadMessage): void;
  onCommitted?(message: ReadMessage, outcome: MessageOutcome): void;
  /** Called after a commit that changed the feeds of these organizations. */
  onMoves?(orgIds: ReadonlySet<number>): void;
  /** Called when a reader reports a fault of its own, at most once a minute per reader. */
  onWarning(warning: ReaderWarning): void;
  /** Shows reads to people who aim antennas. */
  listening?: Pick<ReaderListening, 'note'>;
}

export function createIntake(options: IntakeOptions): Intake {
  return new MessageIntake(options);
}

class MessageIntake implements Intake {
  readonly #options: IntakeOptions;
  readonly #clocks = new ReaderClocks();
  readonly #repeats = new RecentRepeats();
  readonly #measured = new RecentReadings();
  readonly #seen = new RecentlySeen();
  readonly #heavy = new HeavyOrganizations();
  #recent = new RecentHearings();
  readonly #warnings: ReaderWarnings;
  readonly #lanes: ReaderLanes;
  readonly #slow: SlowMessages;
  readonly #inOrder = new InOrder();
  readonly #underWay = new UnderWay();
  /** Readers whose formats decode slowly, and until when their messages go to a thread at once. */
  readonly #costlyUntil = new WeakMap<RegisteredReader, number>();
  #isDraining = false;
  #isDrained = false;
  #held = 0;

  constructor(options: IntakeOptions) {
    const { pool } = options;
    const flushed = (bounds: { isBounded: boolean }) =>
      exactlyOnce<ReadMessage, MessageOutcome, [pace?: Pace]>(
        (messages, pace) => this.#commit(messages, bounds, pace),
        (mark, messages) => wasCommitted(pool, mark, (xid) => hasCounted(pool, xid, messages)),
      );
    const flush = flushed({ isBounded: false });
    this.#options = options;
    this.#warnings = new ReaderWarnings(options.onWarning);
    this.#lanes = new ReaderLanes({
      flush,
      flushBounded: flushed({ isBounded: true }),
      heavy: this.#heavy,
      isOutage: (error) => isPassing(error) && !isTooSlow(error) && !(error instanceof TooHeavy),
      isNamed: (error, { reader }) =>
        reader !== null &&
        ((error instanceof OrganizationGone && error.orgIds.has(reader.orgId)) ||
          (error instanceof TooHeavy && error.orgId === reader.orgId)),
      onOutage: (error) => {
        // A server that takes over may lack the last commits, and use their transaction ids again.
        this.#recent = new RecentHearings();
        options.onOutage?.(error);
      },
      isBlocked: isLockTimeout,
      onBlocked: (error, messages) => this.#blocked(error, messages),
      isTooSlow,
    });
    this.#slow = new SlowMessages({ flush, isPassing, onSlow: options.onSlow });
  }

  receive(incoming: IncomingMessage, publisher?: RegisteredReader): Promise<MessageOutcome> {
    if (this.#isDraining) {
      return Promise.reject(stopped());
    }
    const { clock, registry, onOutage } = this.#options;
    const turn = this.#underWay.enter();
    const receivedAt = clock();
    const arrivedAt = performance.now();
    if (registry.isFresh()) {
      return this.#take(incoming, publisher, receivedAt, arrivedAt, turn);
    }
    return new Promise<MessageOutcome>((resolve) => {
      const go = () => {
        this.#held -= 1;
        resolve(
          this.#isDrained
            ? this.#refuse(turn, stopped())
            : this.#take(incoming, publisher, receivedAt, arrivedAt, turn),
        );
      };
      this.#held += 1;
      registry.whenFresh(go, onOutage);
    });
  }

  settledUpTo(): Micros {
    return this.#underWay.settledUpTo(this.#options.clock(), (reader) => this.#lanes.isBlocked(reader));
  }

  get slow(): number {
    return this.#slow.count;
  }

  async drain(patience: number): Promise<void> {
    this.#isDraining = true;
    this.#slow.stop();
    const since = performance.now();
    const late = new AbortController();
    await Promise.race([
      this.#whenNoneIsHeld().then(() => this.#inOrder.settled()),
      pause(patience, undefined, { signal: late.signal }).catch(() => {}),
    ]);
    late.abort();
    this.#isDrained = true;
    await this.#lanes.drain(Math.max(0, patience - (performance.now() - since)));
  }

  #blocked(error: unknown, messages: readonly ReadMessage[]): void {
    for (const message of new Map(messages.map((each) => [each.reader, each])).values()) {
      this.#options.onBlocked?.(error, message);
    }
  }

  #whenNoneIsHeld(): Promise<void> {
    const { registry } = this.#options;
    return this.#held === 0 ? Promise.resolve() : new Promise<void>((resolve) => registry.whenFresh(resolve));
  }

  /**
   * Continues by callbacks: `then` would make another promise for each message.
   *
   * @param publisher as of the message's arrival; its registration may have changed since.
   */
  #take(
    incoming: IncomingMessage,
    publisher: RegisteredReader | undefined,
    receivedAt: Micros,
    arrivedAt: number,
    turn: Turn,
  ): Promise<MessageOutcome> {
    const { registry, rules } = this.#options;
    const { topic, payload } = incoming;
    const reader =
      publisher === undefined ? (registry.byTopic(topic) ?? null) : asRegistered(registry, publisher);
    if (reader === undefined) {
      return this.#refuse(turn, new Error(whyUnregistered(registry, publisher?.username ?? null)));
    }
    const readerId = reader?.readerId ?? NO_READER;
    turn.name(readerId);
    const readable = incoming.isStale ? STALE : (rejectedAs(incoming) ?? readableBy(reader, topic));
    const isReadHere =
      'outcome' in readable || !(isLarge(payload) || this.#isCostly(readable.reader, arrivedAt));
    return this.#inOrder.go({
      reader: readerId,
      bytes: 'outcome' in readable || !isReadHere ? 0 : payload.length,
      read: () => {
        try {
          const mapped = 'outcome' in readable ? readable : this.#read(readable, incoming, isReadHere);
          return mapped instanceof Promise
            ? mapped
                .then((what) => this.#whenFree(reader, what))
                .catch((error) => this.#refuse(turn, error, readerId))
            : this.#whenFree(reader, mapped);
        } catch (error) {
          return this.#refuse(turn, error, readerId);
        }
      },
      next: (read) => {
        const mapped = withoutUnsetTimes(reader, read, receivedAt, rules.lateness);
        const message = new MessageAsRead(incoming, { reader, receivedAt, arrivedAt, mapped });
        return this.#record(message, incoming, turn);
      },
    });
  }

  #refuse(turn: Turn, error: unknown, reader?: number): Promise<never> {
    turn.leave(reader);
    return Promise.reject(error);
  }

  #isCostly(reader: RegisteredReader, now: number): boolean {
    return (this.#costlyUntil.get(reader) ?? now) > now;
  }

  #read(
    { reader, format }: Readable,
    { topic, payload }: IncomingMessage,
    isReadHere: boolean,
  ): Mapped | Promise<Mapped> {
    const message = { topic, payload };
    const mapped = isReadHere ? mapBriefly(format, message, reader.policies) : null;
    if (isReadHere && mapped === null) {
      this.#costlyUntil.set(reader, performance.now() + COSTLY_FOR_MS);
    }
    return mapped ?? this.#options.largeMessages.read(reader.orgId, format, message, reader.policies);
  }

  #whenFree(reader: RegisteredReader | null, mapped: Mapped): Mapped | Promise<Mapped> {
    return this.#lanes.free({ reader, mapped })?.then(() => mapped) ?? mapped;
  }

  async #record(message: MessageAsRead, incoming: IncomingMessage, turn: Turn): Promise<MessageOutcome> {
    const { listening } = this.#options;
    const { reader, mapped, receivedAt } = message;
    let tooSlow: unknown;
    try {
      incoming.onDecoded?.(mapped.outcome === 'items' ? mapped.items.length : 0);
      if (reader !== null) {
        message.clockSample = this.#clocks.sample(reader.readerId, mapped, receivedAt);
      }
      this.#warnings.note(reader, mapped, receivedAt);
      listening?.note(reader, mapped, incoming);
      this.#lanes.enter(message);
      try {
        return await this.#submit(message, incoming, this.#lanes);
      } finally {
        this.#lanes.leave(message);
      }
    } catch (error) {
      if (!isTooSlow(error)) {
        throw error;
      }
      tooSlow = error;
    } finally {
      turn.leave(reader?.readerId ?? NO_READER);
    }
    // By itself, and held against neither its reader's next messages nor the watch over silent readers.
    return this.#submit(message, incoming, this.#slow, tooSlow);
  }

  async #submit(
    message: MessageAsRead,
    incoming: IncomingMessage,
    to: Pick<ReaderLanes | SlowMessages, 'submit'>,
    tooSlow?: unknown,
  ): Promise<MessageOutcome> {
    const { onCommitted, onPoison } = this.#options;
    try {
      const outcome = await to.submit(message, tooSlow);
      onCommitted?.(message, outcome);
      return outcome;
    } catch (error) {
      if (message.mapped.outcome === 'rejected' || !isFaultOfMessage(error)) {
        throw error;
      }
      onPoison(error, message);
      return await to.submit(refusedAs(error, message, incoming), error);
    }
  }

  async #commit(messages: readonly ReadMessage[], bounds: { isBounded: boolean }, pace?: Pace) {
    const { pool, clock, databaseClock, rules, onMoves } = this.#options;
    const memory = { repeats: this.#repeats, seen: this.#seen, recent: this.#recent };
    let measured = this.#measured.begin();
    const results = await announcingMoves(
      () => onMoves?.(organizationsOf(messages)),
      (note) =>
        inMarkedTransaction(
          pool,
          async (client, attempt, { databaseNow, askedAt }) => {
            if (databaseClock !== undefined) {
              databaseClock.compare(databaseNow, askedAt);
              dateAgain(messages, { clock, databaseClock });
            }
            measured = this.#measured.begin();
            const workload = new Workload(this.#heavy, bounds);
            const attempted = { rules, now: clock(), isCareful: attempt > 1 };
            const options = { ...attempted, workload, measured, pace, ...memory };
            // Sent together. Wait for both before a rollback.
            const [here, recorded] = await Promise.allSettled([
              requireHere(client, messages),
              recordMessages(client, messages, options),
            ]);
            if (here.status === 'rejected') {
              throw here.reason;
            }
            if (recorded.status === 'rejected') {
              throw recorded.reason;
            }
            return note(recorded.value).results;
          },
          (error) => error instanceof AlreadyStored,
        ),
    );
    measured.commit();
    return results;
  }
}

/** Not an outage: other messages may be fast enough. */
function isTooSlow(error: unknown): boolean {
  return isCancelled(error) || error instanceof TooManyScans;
}

function isPassing(error: unknown): boolean {
  return !isFaultOfMessage(error) && !(error instanceof OrganizationGone);
}

function rejectedAs({ refusal }: IncomingMessage) {
  return refusal === undefined ? null : ({ outcome: 'rejected', reason: refusal } as const);
}

/** Turns a message that cannot be recorded into a rejected one. */
function refusedAs(error: unknown, message: MessageAsRead, incoming: IncomingMessage): MessageAsRead {
  const { reader, receivedAt, arrivedAt } = message;
  const rejected = new MessageAsRead(incoming, { reader, receivedAt, arrivedAt, mapped: refused(error) });
  rejected.clockSample = message.clockSample;
  return rejected;
}

function organizationsOf(messages: readonly ReadMessage[]): ReadonlySet<number> {
  return new Set(messages.flatMap(({ reader }) => reader?.orgId ?? []));
}

function stopped(): BatchClosed {
  return new BatchClosed('nothing more is taken: stopping');
}

const COSTLY_FOR_MS = 10_000;

const STALE = { outcome: 'ignored', reason: 'retained before this subscription' } as const;

/** Messages received before the clocks were last found apart are dated by how long they have waited. */
function dateAgain(
  messages: readonly ReadMessage[],
  { clock, databaseClock }: { clock: Clock; databaseClock: Pick<DatabaseClock, 'apartAt'> },
): void {
  const now = performance.now();
  for (const message of messages) {
    const { arrivedAt } = message;
    if (arrivedAt !== undefined && arrivedAt <= databaseClock.apartAt) {
      message.receivedAt = clock() - Math.round((now - arrivedAt) * MICROS_PER_MILLISECOND);
    }
  }
}
