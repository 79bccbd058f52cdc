import { expensiveTurns, QUEUE } from '../../../base/expensive-turns.ts';
import type { ConsoleContext } from './context.ts';

interface Upload {
  context: ConsoleContext;
  signal(): AbortSignal;
  confirm(): Promise<void>;
}

/**
 * Takes the organization's turn for the rest of a request whose file has come, before it has a connection to the database.
 * A client that hangs up while waiting gives up its place.
 *
 * @throws as `ExpensiveTurns.hold` does; Problem if the session has ended meanwhile, or the membership.
 */
export async function takeUploadTurn({ context: { db }, signal, confirm }: Upload): Promise<void> {
  await expensiveTurns.hold(db.orgId, 'body', QUEUE, signal());
  await confirm();
}
