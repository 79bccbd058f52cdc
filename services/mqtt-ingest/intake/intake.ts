import type pg from 'pg';
import { inMarkedTransaction } from '../../../db/timescale/transaction.ts';
import { wasCommitted } from '../../../db/timescale/transaction-mark.ts';
import type { Clock } from '../../shared/clock.ts';
import { Batch } from '../../shared/tracking/batch.ts';
import type { TimeRules } from '../../shared/tracking/observed-at.ts';
import { KnownAfterAll } from '../../shared/tracking/record.ts';
import type { Mapped } from '../mapping/run.ts';
import type { RegisteredReader } from '../registry/load-readers.ts';
import type { Registry } from '../registry/registry.ts';
import { exactlyOnce } from './exactly-once.ts';
import { isFaultOfMessage } from './fault-of-message.ts';
import { judge, refused } from './judge.ts';
import { digestsOf, excerptOf, type IncomingMessage, type ReadMessage } from './message.ts';
import { ReaderClocks } from './reader-clocks.ts';
import { type ReaderWarning, ReaderWarnings } from './reader-warnings.ts';
import { type MessageOutcome, recordMessages } from './record-messages.ts';

/**
 * Where every source of messages ends: `receive` resolves when the message, whatever its outcome, is committed, and
 * not before. So a source that acknowledges when it resolves loses nothing.
 */
export interface Intake {
  /**
   * @param publisher who is known to have sent it; without one the topic tells.
   * @throws what kept the message from being committed; it must not be acknowledged then.
   */
  receive(message: IncomingMessage, publisher?: RegisteredReader): Promise<MessageOutcome>;
  /** Takes nothing more and waits for what was taken; an outage for no longer than `patience` milliseconds. */
  drain(patience: number): Promise<void>;
}

export interface IntakeOptions {
  pool: pg.Pool;
  registry: Registry;
  clock: Clock;
  rules: TimeRules;
  /** Told of every attempt to commit that the database's absence defeated. */
  onOutage(error: unknown): void;
  /** Told of a message that could not be recorded for its own sake; it is kept as rejected. */
  onPoison(error: unknown, message: ReadMessage): void;
  /** Told of every other message when it is committed. */
  onCommitted?(message: ReadMessage, outcome: MessageOutcome): void;
  /** Told of readers that report trouble of their own, of each once a minute at the most. */
  onWarning(warning: ReaderWarning): void;
}

export function createIntake(options: IntakeOptions): Intake {
  const { pool, registry, clock, rules, onOutage, onPoison } = options;
  const clocks = new ReaderClocks();
  const warnings = new ReaderWarnings(options.onWarning);
  const batch = new Batch<ReadMessage, MessageOutcome>({
    flush: exactlyOnce(
      (messages) =>
        inMarkedTransaction(
          pool,
          (client, attempt) =>
            recordMessages(client, messages, { rules, now: clock(), isCareful: attempt > 1 }),
          (error) => error instanceof KnownAfterAll,
        ),
      (mark) => wasCommitted(pool, mark),
    ),
    weigh,
    lanes: LANES,
    laneKey: ({ reader }) => reader?.readerId ?? 0,
    maxBatch: MAX_BATCH,
    maxHeld: MAX_HELD,
    isOutage: (error) => !isFaultOfMessage(error),
    onOutage,
  });
  return {
    receive: async (incoming, publisher) => {
      const message = read(incoming, publisher, registry, clock);
      incoming.onDecoded?.(message.mapped.outcome === 'items' ? message.mapped.items.length : 0);
      if (message.reader !== null) {
        const { reader, mapped, receivedAt } = message;
        message.clockSample = clocks.sample(reader.readerId, mapped, receivedAt);
      }
      warnings.note(message.reader, message.mapped, message.receivedAt);
      try {
        const outcome = await batch.submit(message);
        options.onCommitted?.(message, outcome);
        return outcome;
      } catch (error) {
        if (message.mapped.outcome === 'rejected' || !isFaultOfMessage(error)) {
          throw error;
        }
        onPoison(error, message);
        return await batch.submit({ ...message, mapped: refused(error) });
      }
    },
    drain: (patience) => batch.drain(patience),
  };
}

/**
 * Batches committed at once, each on a connection of its own: while one waits for its commit or for the network,
 * another keeps the database at work. By reader, so that messages of a reader stay in order and the same assets are
 * seldom in two batches; where they are, the second waits for the first at their positions.
 */
export const LANES = 2;

/** In items and, at 256 bytes each, payload: about 2,000 reads a transaction, and at the most 8 MB held. */
const MAX_BATCH = 4_000;
const MAX_HELD = 32_000;

function weigh({ mapped, payload }: ReadMessage): number {
  return 1 + (mapped.outcome === 'items' ? mapped.items.length : 0) + (payload.head.length >> 8);
}

function read(
  incoming: IncomingMessage,
  publisher: RegisteredReader | undefined,
  registry: Registry,
  clock: Clock,
): ReadMessage {
  const { topic, payload, isDup, isStale, throttledMs = 0 } = incoming;
  const reader = publisher ?? registry.byTopic(topic) ?? null;
  const excerpt = excerptOf(payload);
  // Assigned to, not spread: a digest is made when it is asked for.
  return Object.assign(digestsOf(incoming, excerpt), {
    topic,
    receivedAt: clock(),
    isDup,
    reader,
    mapped: isStale ? STALE : judge(reader, topic, payload),
    payload: excerpt,
    throttledMs,
  });
}

const STALE: Mapped = { outcome: 'ignored', reason: 'retained before this subscription' };
