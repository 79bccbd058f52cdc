import { expensiveTurns, QUEUE } from '../../../base/expensive-turns.ts';
import type { ConsoleContext } from './context.ts';

interface Upload {
  context: ConsoleContext;
  signal(): AbortSignal;
  confirm(): Promise<void>;
}

/**
 * Takes the organization's turn for the rest of a request after its file has arrived, before it takes a database
 * connection. A client that hangs up gives up its place.
 *
 * @throws as `ExpensiveTurns.hold` does; Problem if the session or the membership has ended meanwhile.
 */
export async function takeUploadTurn({ context: { db }, signal, confirm }: Upload): Promise<void> {
  await expensiveTurns.hold(db.orgId, 'body', QUEUE, signal());
  await confirm();
}
