import type { ClientBase } from 'pg';
import type { Tap } from './tap.ts';
import { indexOf, type PlannedMessage } from './traffic.ts';

/**
 * Every message that cannot be decoded, and every one that the database refuses, is kept as rejected: once, or as
 * often as it came without the DUP flag; and no other is.
 *
 * @returns how many messages are not.
 */
export async function findRejectionFaults(
  client: ClientBase,
  messages: readonly PlannedMessage[],
  tap: Tap,
): Promise<number> {
  const rows = (
    await client.query<{ payload: Buffer; reason: string }>('select payload, reason from rejected_messages')
  ).rows;
  const kept = Map.groupBy(rows, ({ payload }) => indexOf(payload));
  const isRight = ({ index, kind }: PlannedMessage) => {
    const mine = kept.get(index) ?? [];
    if (kind !== 'undecodable' && kind !== 'refused') {
      return mine.length === 0;
    }
    const isExplained = mine.every(({ reason }) => (kind === 'refused') === reason.startsWith(REFUSED));
    return mine.length >= 1 && mine.length <= (tap.handedOverAsNew.get(index) ?? 1) && isExplained;
  };
  return messages.filter((message) => !isRight(message)).length;
}

const REFUSED = 'it could not be recorded';
