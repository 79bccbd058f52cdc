import type { Clock } from '../base/clock.ts';
import { leastOf } from '../base/extremes.ts';
import type { Micros } from '../base/instant.ts';
import type { Connections } from './connections.ts';
import { EventQueue } from './event-queue.ts';
import type { Trouble } from './faults.ts';
import type { Message } from './message.ts';
import type { SiteReader } from './site.ts';
import type { Truth } from './truth/truth.ts';

interface Parcel {
  message: Message;
  isRepeat: boolean;
}

export interface DeliveryOptions {
  connections: Connections;
  truth: Truth;
  clock: Clock;
  troubles: ReadonlyMap<SiteReader, Trouble>;
  signal: AbortSignal;
}

/**
 * Delivers messages to the broker, some late, some after their reader was offline, and reports to the truth what
 * arrived. Bounded by backpressure: unacknowledged messages hold up those after them.
 */
export class Delivery {
  readonly #options: DeliveryOptions;
  readonly #underWay = new Map<Promise<void>, Parcel>();
  readonly #later = new EventQueue<Parcel>();
  readonly #offline = new Map<SiteReader, Parcel[]>();
  readonly #dead = new Set<SiteReader>();
  /** Aborted when nothing is waited for any more. */
  readonly #givenUp = new AbortController();
  readonly #givingUp: Promise<void>;
  #timer: NodeJS.Timeout | undefined;
  acknowledged = 0;
  reads = 0;

  constructor(options: DeliveryOptions) {
    this.#options = options;
    this.#givingUp = new Promise((resolve) => {
      this.#givenUp.signal.addEventListener('abort', () => resolve());
    });
    options.signal.addEventListener('abort', () => this.#giveUpSoon());
  }

  /** When the oldest unacknowledged message was ready; infinite if there is none. */
  get oldest(): Micros {
    const kept = [...this.#offline.values()].flatMap(([first]) => (first === undefined ? [] : [first]));
    return leastOf([...this.#underWay.values(), ...kept].map(({ message }) => message.readyAt));
  }

  /** @param elapsed since the start of the run: readers go offline and return by it, and late messages are sent. */
  async letTimePass(elapsed: Micros): Promise<void> {
    for (const [reader, { outage, deathAt }] of this.#options.troubles) {
      const isOut = outage !== null && elapsed >= outage.from && elapsed < outage.to;
      if (isOut && !this.#offline.has(reader)) {
        await this.#leave(reader);
        this.#offline.set(reader, []);
      } else if (!isOut && this.#offline.has(reader)) {
        await this.#return(reader);
      }
      if (deathAt !== null && elapsed >= deathAt && !this.#dead.has(reader)) {
        await this.#leave(reader);
        this.#dead.add(reader);
      }
    }
    await this.#sendDue(elapsed);
  }

  /** @param dueAt when to send it, since the start of the run; null for now. */
  async deliver(message: Message, dueAt: Micros | null = null, isRepeat = false): Promise<void> {
    if (dueAt === null) {
      await this.#send({ message, isRepeat });
    } else {
      this.#later.add(dueAt, { message, isRepeat });
    }
  }

  /** Sends the rest and waits a while for acknowledgements. Nothing can be delivered afterwards. */
  async finish(): Promise<void> {
    this.#giveUpSoon();
    for (const reader of [...this.#offline.keys()]) {
      await this.#return(reader);
    }
    await this.#sendDue(Number.POSITIVE_INFINITY);
    while (this.#underWay.size > 0 && !this.#givenUp.signal.aborted) {
      await Promise.race([...this.#underWay.keys(), this.#givingUp]);
    }
    clearTimeout(this.#timer);
    for (const { message, isRepeat } of this.#underWay.values()) {
      this.#options.truth.unanswered(message, isRepeat);
    }
    this.#underWay.clear();
  }

  #giveUpSoon(): void {
    this.#timer ??= setTimeout(() => this.#givenUp.abort(), PATIENCE);
  }

  async #sendDue(elapsed: Micros): Promise<void> {
    for (let due = this.#later.next(elapsed); due !== null; due = this.#later.next(elapsed)) {
      await this.#send(due.subject);
    }
  }

  /** Waits for acknowledgements first, so that it is known what arrived. */
  async #leave(reader: SiteReader): Promise<void> {
    const own = [...this.#underWay].filter(([, { message }]) => message.reader === reader);
    await Promise.race([Promise.all(own.map(([sent]) => sent)), this.#givingUp]);
    await this.#options.connections.disconnect(reader.name);
  }

  /** Sends the kept messages as fast as possible, in order; without a broker, later. */
  async #return(reader: SiteReader): Promise<void> {
    try {
      await this.#options.connections.reconnect(reader.name);
    } catch {
      return;
    }
    const kept = this.#offline.get(reader) ?? [];
    this.#offline.delete(reader);
    for (const parcel of kept) {
      await this.#send(parcel);
    }
  }

  async #send(parcel: Parcel): Promise<void> {
    const { message, isRepeat } = parcel;
    const { reader, publication, isDup } = message;
    if (this.#dead.has(reader)) {
      return;
    }
    const kept = this.#offline.get(reader);
    if (kept !== undefined) {
      kept.push(parcel);
      return;
    }
    const { connections, truth, clock } = this.#options;
    while (this.#underWay.size >= MOST_UNDER_WAY && !this.#givenUp.signal.aborted) {
      await Promise.race([...this.#underWay.keys(), this.#givingUp]);
    }
    if (this.#givenUp.signal.aborted) {
      // It never was; but what comes after it may have been counted as its repetition.
      truth.lost(reader.name);
      return;
    }
    const earliest = clock();
    const { topic, payload } = publication;
    const sent: Promise<void> = connections.publish(reader.name, payload, { topic, isDup }).then(
      () => {
        if (this.#underWay.delete(sent)) {
          truth.acknowledged(message, isRepeat, { earliest, latest: clock() });
          this.acknowledged += 1;
          this.reads += Object.values(message.outcomes).reduce((sum, count) => sum + count, 0);
        }
      },
      () => {
        if (this.#underWay.delete(sent)) {
          truth.unanswered(message, isRepeat);
        }
      },
    );
    this.#underWay.set(sent, parcel);
  }
}

const MOST_UNDER_WAY = 256;

/** Milliseconds to wait for the last acknowledgements. */
const PATIENCE = 10_000;
