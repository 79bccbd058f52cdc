import { type DestinationStream, type Logger, pino } from 'pino';
import { loggableError } from './loggable-error.ts';
import { maskSecrets } from './mask-secrets.ts';

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
