import { messageOf } from '../../../base/errors.ts';
import type { Message } from './messages.ts';

/** A message that the broker did not take. */
export class Unpublished extends Error {
  /** The first that was not acknowledged. */
  readonly refused: Message;
  /** The connection ended on it, or nothing was acknowledged any more; otherwise the broker said no. */
  readonly isLost: boolean;

  constructor(refused: Message, { cause, isLost }: { cause: unknown; isLost: boolean }) {
    super(`${messageOf(cause)} (${refused.topic})`, { cause });
    this.refused = refused;
    this.isLost = isLost;
  }
}
