import { type Logger, pino } from 'pino';

/**
 * One JSON line per event on standard output. Requests and reads are counted, not logged: a line costs more than
 * handling many a message. Credentials are never passed to it; what looks like one is masked all the same.
 */
export function createLog(service: string, level: string): Logger {
  return pino({
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: ['authorization', 'password', 'key', 'token', 'url', '*.authorization', '*.password', '*.token'],
  });
}
