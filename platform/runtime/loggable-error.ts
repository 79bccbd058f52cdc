import { pino } from 'pino';
import { messageOf } from '../../base/errors.ts';

const KEPT = ['code', 'syscall', 'address', 'port', 'constraint', 'table', 'column'] as const;

/**
 * The loggable part of an error. Libraries attach anything to theirs, such as the values of a query or an
 * address with its password, so only known harmless fields are taken. The stack includes causes.
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
