import { messageOf } from '../../../base/errors.ts';
import type { RegisteredReader } from '../../../domain/messages/load-readers.ts';
import type { MessageCounts } from '../../../domain/messages/reader-counters.ts';
import type { MessageOutcome } from '../../../domain/messages/record-messages.ts';
import { Problem } from '../../../platform/http/problem.ts';
import type { Intake } from '../intake/intake.ts';
import type { HeldMessages } from '../source/held-messages.ts';
import type { ReaderQuota } from '../source/reader-quotas.ts';
import type { Pushed } from './pushed-body.ts';

interface PushedMessage extends Omit<Pushed, 'fault'> {
  topic: string;
  /** Why it is rejected without being read. */
  refusal?: string;
}

interface Parts {
  intake: Intake;
  held: HeldMessages;
  /** Rejects while nothing can be recorded. */
  requireRecording(): Promise<unknown>;
  /** Milliseconds that a request waits, for its commit included. */
  patience?: number;
}

/**
 * Hands pushed messages to the intake, and answers after the commit. A request is refused (503) before its message
 * is taken if nothing can be recorded or there is no room, so that sending again repeats nothing. Only if the commit
 * takes longer than a sender waits may the message be recorded after a 503.
 */
export class PushedMessages {
  readonly #parts: Parts;
  readonly #underWay = new Map<number, number>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get waiting(): number {
    return this.#parts.held.messages + this.#parts.held.waiting.messages;
  }

  /**
   * @param signal aborted if the sender goes: what waits then is not kept.
   * @throws Problem `unavailable`; the signal's reason.
   */
  async take(
    reader: RegisteredReader,
    message: PushedMessage,
    quota: ReaderQuota,
    signal: AbortSignal,
  ): Promise<MessageCounts> {
    const { requireRecording, held, patience = PATIENCE } = this.#parts;
    const since = performance.now();
    await requireRecording().catch((error) => {
      throw again(`Nothing can be recorded right now (${messageOf(error)})`);
    });
    const before = this.#underWay.get(reader.readerId) ?? 0;
    if (before >= MOST_AT_ONCE) {
      throw again('Too many requests of this reader are under way; send fewer at once');
    }
    this.#underWay.set(reader.readerId, before + 1);
    const recorded = Promise.withResolvers<MessageOutcome>();
    const owner = { orgId: reader.orgId, reader: reader.username };
    const bytes = message.payload.length;
    let isTaken = false;
    const giveUp = (why: unknown) => {
      recorded.reject(why);
      if (!isTaken) {
        held.withdraw(enter, owner);
        this.#leave(reader.readerId);
      }
    };
    const timer = setTimeout(
      () => giveUp(again(isTaken ? MAY_BE_RECORDED : 'Too much waits to be recorded')),
      Math.max(0, since + patience - performance.now()),
    );
    const hangUp = () => isTaken || giveUp(signal.reason);
    const enter = () => {
      isTaken = true;
      this.#receive(reader, message, quota)
        .then(recorded.resolve, recorded.reject)
        .finally(() => {
          held.leave(bytes, owner);
          this.#leave(reader.readerId);
        });
    };
    held.enter(bytes, enter, owner);
    signal.aborted ? hangUp() : signal.addEventListener('abort', hangUp);
    try {
      return (await recorded.promise).counts;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', hangUp);
    }
  }

  async #receive(
    reader: RegisteredReader,
    { topic, payload, bytes = payload.length, key, refusal }: PushedMessage,
    quota: ReaderQuota,
  ): Promise<MessageOutcome> {
    const pushesRefused = quota.refused;
    quota.refused = 0;
    try {
      return await this.#parts.intake.receive(
        {
          topic,
          payload,
          bytes,
          // A key belongs to one message, so a second one with it is a repetition.
          isDup: key !== null,
          sender: `push ${reader.readerId}`,
          packetId: key,
          isStale: false,
          pushesRefused,
          ...(refusal === undefined ? {} : { refusal }),
          onDecoded: (reads) => quota.chargeReads(reads),
        },
        reader,
      );
    } catch (error) {
      quota.refused += pushesRefused;
      throw again(`The message could not be recorded (${messageOf(error)})`);
    }
  }

  #leave(readerId: number): void {
    const left = (this.#underWay.get(readerId) ?? 1) - 1;
    left === 0 ? this.#underWay.delete(readerId) : this.#underWay.set(readerId, left);
  }
}

const MAY_BE_RECORDED =
  'The message is taken and not recorded yet. Sent again with the same Idempotency-Key, or with times in its reads, it counts once';

function again(detail: string): Problem {
  return new Problem('unavailable', `${detail}; send it again later`, { headers: { 'Retry-After': '5' } });
}

/** Milliseconds: less than most senders wait for an answer. */
const PATIENCE = 15_000;

/** Requests of one reader, including those whose commit is not waited for any more. */
const MOST_AT_ONCE = 256;
