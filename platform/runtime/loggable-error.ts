import { pino } from 'pino';
import { messageOf } from '../../base/errors.ts';

/** What is taken over from an error if it is there: codes and names, of the system and of the database. */
const KEPT = ['code', 'syscall', 'address', 'port', 'constraint', 'table', 'column'] as const;

/**
 * What of an error is logged. Libraries hang all kinds of things on theirs, such as the values of a query or an address
 * with its password, so that only what is known to be harmless is taken over. The stack tells of causes too.
 */
export function loggableError(error: unknown): object {
  if (!(error instanceof Error)) {
    return { message: messageOf(error) };
  }
  const found = error as Error & Record<string, unknown>;
  const kept = KEPT.filter((name) => ['string', 'number'].includes(typeof found[name]));
  return {
    type: error.name,
    message: messageOf(error),
    ...Object.fromEntries(kept.map((name) => [name, found[name]])),
    stack: pino.stdSerializers.err(error).stack,
  };
}
