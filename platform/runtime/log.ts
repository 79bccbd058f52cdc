import { type DestinationStream, type Logger, pino } from 'pino';
import { messageOf } from '../../base/errors.ts';

/** `tt_<id>_<secret>` (or `tt2_...`) of an API key and `th_<id>_<secret>` of a handheld, truncated ones too. */
const CREDENTIAL = /\b((?:tt\d{0,2}|th)_[0-9A-Za-z]{1,26}_)[\w-]{8,}/g;

const PASSWORD_IN_URL = /(:\/\/[^\s:/@"]*:)[^\s/@"]+@/g;

/**
 * One JSON line per event on standard output. Reads are counted, not logged: a line costs more than handling
 * many a message. Callers pass no credentials; anything that looks like one is masked nevertheless.
 */
export function createLog(
  service: string,
  level: string,
  destination: DestinationStream = pino.destination(1),
): Logger {
  return pino(
    {
      level,
      base: { service },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: [
        'authorization',
        'password',
        'key',
        'token',
        'url',
        '*.authorization',
        '*.password',
        '*.token',
      ],
      serializers: { err: loggableError },
      hooks: { streamWrite: maskSecrets },
    },
    destination,
  );
}

const KEPT = ['code', 'syscall', 'address', 'port', 'constraint', 'table', 'column'] as const;

/**
 * The loggable part of an error. Libraries attach anything to theirs, such as the values of a query or an
 * address with its password, so only known harmless fields are taken. The stack includes causes.
 */
function loggableError(error: unknown): object {
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

/**
 * Last line of defence: masks everything that looks like a secret anywhere in a line. Keys and tokens keep
 * their id, addresses their user name.
 */
export function maskSecrets(line: string): string {
  return line.replace(CREDENTIAL, '$1***').replace(PASSWORD_IN_URL, '$1***@');
}
