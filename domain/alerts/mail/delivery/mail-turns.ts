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
const LOOKED_AT = 100;

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
    for (const recipient of await dueRecipients(transaction, LOOKED_AT)) {
      const { alerts, upTo } = await loadTouched(transaction, recipient);
      const told = toldAlerts(alerts);
      if (told.listed.length === 0) {
        await passOver(transaction, recipient, upTo);
      } else {
        await noteBegun(transaction, recipient);
        const { consoleUrl } = this.#parts;
        begun.push({ recipient, letter: alertLetter({ ...recipient, consoleUrl }, told), upTo });
      }
      if (begun.length === AT_ONCE) {
        break;
      }
    }
    return begun;
  }
}
