import { append } from '../../../../base/append.ts';
import { ADVISORY_LOCKS } from '../../../../db/timescale/connections/advisory-locks.ts';
import type { Pool } from '../../../../db/timescale/connections/client.ts';
import { inTransaction } from '../../../../db/timescale/connections/transaction.ts';
import { rowsOf, sql } from '../../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../../db/timescale/queries/verbs.ts';
import { alertLetter } from '../letter/alert-letter.ts';
import type { Letter } from '../letter/letter.ts';
import { toldAlerts } from '../letter/told-alerts.ts';
import type { Mailer, MailOutcome } from '../sending/mailer.ts';
import { loadTouched } from './load-touched.ts';
import {
  addRecipients,
  dueRecipients,
  noteBegun,
  noteOutcome,
  passOver,
  type Recipient,
} from './recipients.ts';

export interface MailParts {
  pool: Pool;
  mailer: Mailer;
  consoleUrl: string | null;
  onMessage(recipient: Recipient, outcome: MailOutcome): void;
  random?(): number;
}

/** Messages under way at a time. */
const AT_ONCE = 4;

/** Recipients looked at in a turn. */
const LOOKED_AT = 1_000;

/** Milliseconds, so that what is begun is also sent within the minute. */
const LOOKS_FOR = 5_000;

interface Begun {
  recipient: Recipient;
  letter: Letter;
  upTo: number;
}

/**
 * Sends e-mail of alerts, with any number of other processes:
 *
 * 1. Under a lock that one process has, it is noted that messages are begun; nobody begins another to the same people
 *    within a minute.
 * 2. They are sent, which takes less than that.
 * 3. What was taken by the server is done with. A process that is killed in between leaves it to be sent once more, at
 *    least a minute later.
 */
export class MailTurns {
  readonly #parts: MailParts;
  /** The user who was looked at last: it goes on after them, as many have news again and again that is not for them. */
  #afterUser = 0;

  constructor(parts: MailParts) {
    this.#parts = parts;
  }

  /** @returns how many messages were begun; none if another process is just beginning some. */
  async take(): Promise<number> {
    const { pool, mailer, onMessage, random = Math.random } = this.#parts;
    const begun = await inTransaction(pool, (transaction) => this.#begin(transaction));
    await Promise.all(
      begun.map(async ({ recipient, letter, upTo }) => {
        const outcome = await mailer.send(recipient, letter);
        onMessage(recipient, outcome);
        await noteOutcome(pool, recipient, upTo, outcome, random());
      }),
    );
    return begun.length;
  }

  async #begin(transaction: Connection): Promise<Begun[]> {
    const { is_mine: isMine } = await transaction.one(sql.prepared(
      'lock-mail',
      rowsOf<{ is_mine: boolean }>(),
    )`
      select pg_try_advisory_xact_lock(${ADVISORY_LOCKS.mail}) as is_mine`);
    if (!isMine) {
      return [];
    }
    await addRecipients(transaction);
    const begun: Begun[] = [];
    const due = await dueRecipients(transaction, this.#afterUser, LOOKED_AT);
    const until = performance.now() + LOOKS_FOR;
    for (const [userId, own] of Map.groupBy(due, (recipient) => recipient.userId)) {
      append(begun, await this.#beginFirst(transaction, own));
      this.#afterUser = userId;
      if (begun.length === AT_ONCE || performance.now() > until) {
        break;
      }
    }
    return begun;
  }

  /** A message to one person: of the first organization of which there is anything to tell. */
  async #beginFirst(transaction: Connection, own: readonly Recipient[]): Promise<Begun[]> {
    for (const recipient of own) {
      const { alerts, after, upTo } = await loadTouched(transaction, recipient);
      const told = toldAlerts(alerts);
      if (told.listed.length > 0) {
        await noteBegun(transaction, recipient, after);
        const { consoleUrl } = this.#parts;
        return [{ recipient, letter: alertLetter({ ...recipient, consoleUrl }, told), upTo }];
      }
      await passOver(transaction, recipient, upTo);
    }
    return [];
  }
}
