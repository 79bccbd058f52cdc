import { setTimeout as pause } from 'node:timers/promises';
import { append } from '../../../../base/append.ts';
import type { Pool } from '../../../../db/timescale/connections/client.ts';
import { inTransaction } from '../../../../db/timescale/connections/transaction.ts';
import type { Connection } from '../../../../db/timescale/queries/verbs.ts';
import { alertLetter } from '../letter/alert-letter.ts';
import type { Letter } from '../letter/letter.ts';
import { toldAlerts } from '../letter/told-alerts.ts';
import type { Mailer, MailOutcome } from '../sending/mailer.ts';
import { loadTouched } from './load-touched.ts';
import {
  addRecipients,
  type DoneWith,
  dueRecipients,
  noteBegun,
  noteOutcome,
  passOver,
  type Recipient,
} from './recipients.ts';

export interface MailParts {
  /** For beginning messages, which only one process of an installation may do. */
  db: Pool;
  /** For outcomes of finished messages. */
  pool: Pool;
  mailer: Mailer;
  consoleUrl: string | null;
  /** How long an event of an alert waits; an alert withdrawn meanwhile is not sent. */
  settleSeconds?: number;
  onMessage(recipient: Recipient, outcome: MailOutcome): void;
  /** The outcome of a message could not be stored, so the message is sent once more. */
  onFault(error: unknown): void;
  random?(): number;
}

/** Messages under way per process, each on its own connection. */
const AT_ONCE = 8;

/** Recipients looked at in a turn. */
const LOOKED_AT = 1_000;

/** Milliseconds: the messages that were begun wait for as long. */
const LOOKS_FOR = 1_000;

interface Begun {
  recipient: Recipient;
  letter: Letter;
  done: DoneWith;
}

/**
 * Sends e-mail of alerts:
 *
 * 1. The elected process records that messages begin, for organizations in turn; nobody begins another one to the same
 *    people within a minute.
 * 2. They are sent, which takes less than that; others begin meanwhile as long as there is room.
 * 3. Messages taken by the server are done. If the process is killed in between, they are sent again, at least a minute
 *    later.
 */
export class MailTurns {
  readonly #parts: MailParts;
  readonly #underWay = new Map<Promise<void>, Recipient>();
  /** The organization whose message was begun last. */
  #last = 0;

  constructor(parts: MailParts) {
    this.#parts = parts;
  }

  /** Whether as many messages are under way as may be. */
  get isFull(): boolean {
    return this.#underWay.size >= AT_ONCE;
  }

  get isSending(): boolean {
    return this.#underWay.size > 0;
  }

  /** @returns how many messages were begun. */
  async take(): Promise<number> {
    if (this.isFull) {
      return 0;
    }
    const begun = await inTransaction(this.#parts.db, (transaction) => this.#begin(transaction));
    for (const each of begun) {
      const sending = this.#send(each)
        .catch(this.#parts.onFault)
        .finally(() => this.#underWay.delete(sending));
      this.#underWay.set(sending, each.recipient);
    }
    return begun.length;
  }

  /** Waits until a message under way has ended, at most for the given milliseconds. */
  async someEnded(within: number): Promise<void> {
    const ended = new AbortController();
    const late = pause(within, undefined, { signal: ended.signal }).catch(() => {});
    await Promise.race([late, ...this.#underWay.keys()]);
    ended.abort();
  }

  /** Waits until every message under way has ended. */
  async allEnded(): Promise<void> {
    await Promise.all(this.#underWay.keys());
  }

  async #send({ recipient, letter, done }: Begun): Promise<void> {
    const { pool, mailer, onMessage, random = Math.random } = this.#parts;
    const outcome = await mailer.send(recipient, letter);
    onMessage(recipient, outcome);
    await noteOutcome(pool, recipient, done, outcome, random());
  }

  async #begin(transaction: Connection): Promise<Begun[]> {
    await addRecipients(transaction);
    const begun: Begun[] = [];
    const { settleSeconds = 0 } = this.#parts;
    const wanted = { afterOrg: this.#last, limit: LOOKED_AT, settleSeconds };
    const due = await dueRecipients(transaction, wanted);
    const until = performance.now() + LOOKS_FOR;
    for (const own of Map.groupBy(due, ({ userId }) => userId).values()) {
      append(begun, await this.#beginFirst(transaction, own, begun));
      if (this.#underWay.size + begun.length >= AT_ONCE || performance.now() > until) {
        break;
      }
    }
    this.#last = begun.at(-1)?.recipient.orgId ?? this.#last;
    return begun;
  }

  /**
   * A message to one person, for the first organization that has news for them. The one whose last message to them is oldest
   * goes first.
   */
  async #beginFirst(
    transaction: Connection,
    own: readonly Recipient[],
    begun: readonly Begun[],
  ): Promise<Begun[]> {
    for (const recipient of own.toSorted((a, b) => (a.triedAt ?? 0) - (b.triedAt ?? 0))) {
      if (!this.#hasRoomFor(recipient.orgId, begun)) {
        continue;
      }
      const { settleSeconds = 0 } = this.#parts;
      const { alerts, after, done } = await loadTouched(transaction, recipient, settleSeconds);
      const told = toldAlerts(alerts);
      if (told.listed.length > 0) {
        await noteBegun(transaction, recipient, after);
        const { consoleUrl } = this.#parts;
        return [{ recipient, letter: alertLetter({ ...recipient, consoleUrl }, told), done }];
      }
      await passOver(transaction, recipient, done);
    }
    return [];
  }

  /** An organization may have half of what others leave, so that a hanging one leaves room. */
  #hasRoomFor(orgId: number, begun: readonly Begun[]): boolean {
    const all = [...this.#underWay.values(), ...begun.map(({ recipient }) => recipient)];
    const own = all.filter((each) => each.orgId === orgId).length;
    return own < Math.ceil((AT_ONCE - (all.length - own)) / 2);
  }
}
