import type { Logger } from 'pino';
import type { ReadMessage } from '../../../domain/messages/message.ts';
import { reasonOf } from '../../../domain/messages/rejected-messages.ts';
import { ClocksApart } from '../../../domain/tracking/database-clock.ts';
import { LogBudget } from '../../../platform/runtime/log-budget.ts';
import type { IntakeOptions } from './intake.ts';

type IntakeCallbacks = Required<
  Pick<IntakeOptions, 'onOutage' | 'onBlocked' | 'onSlow' | 'onPoison' | 'onCommitted' | 'onWarning'>
>;

/**
 * Logs the beginning and the end of an outage once each, of the database or of a clock that is wrong, and message faults
 * once a minute per reader, with reader and organization. Payloads are not logged.
 */
export function intakeLog(log: Logger): IntakeCallbacks {
  const blocked = new LogBudget(LINES_A_MINUTE);
  const slow = new LogBudget(LINES_A_MINUTE);
  const poison = new LogBudget(LINES_A_MINUTE);
  const rejected = new LogBudget(LINES_A_MINUTE);
  let outageSince: number | null = null;
  let areClocksApart = false;
  return {
    onOutage: (err) => {
      const isClock = err instanceof ClocksApart;
      const level = outageSince === null || isClock !== areClocksApart ? 'warn' : 'debug';
      outageSince ??= performance.now();
      areClocksApart = isClock;
      if (isClock) {
        log[level]({ err }, 'Clock apart from that of the database; messages are held unacknowledged');
      } else {
        log[level]({ err }, 'Database unavailable; messages are held unacknowledged');
      }
    },
    onBlocked: (err, message) => {
      const leftOut = blocked.take(subjectOf(message));
      if (leftOut !== null) {
        log.warn(
          { ...about(message), times: leftOut + 1, err },
          'Messages of the reader wait unacknowledged for a lock of another database session; will retry',
        );
      }
    },
    onSlow: (err, message) => {
      const leftOut = slow.take(subjectOf(message));
      if (leftOut !== null) {
        log.warn(
          { ...about(message), times: leftOut + 1, err },
          'Message not recorded within the time limit; it is retried alone, unacknowledged',
        );
      }
    },
    onPoison: (err, message) => {
      const leftOut = poison.take(subjectOf(message));
      if (leftOut !== null) {
        log.error(
          { ...about(message), times: leftOut + 1, err },
          'Message could not be recorded; it is rejected',
        );
      }
    },
    onCommitted: (message, { rejections }) => {
      if (outageSince !== null) {
        const seconds = Math.round((performance.now() - outageSince) / 100) / 10;
        outageSince = null;
        if (areClocksApart) {
          log.info({ seconds }, 'Clock correct again; held messages are being recorded');
        } else {
          log.info({ seconds }, 'Database available again; held messages are being recorded');
        }
        areClocksApart = false;
      }
      const leftOut = rejections.length === 0 ? null : rejected.take(subjectOf(message));
      if (leftOut !== null) {
        const reason = reasonOf(rejections);
        log.warn({ ...about(message), times: leftOut + 1, reason }, 'Message rejected, in whole or in part');
      }
    },
    onWarning: (warning) => log.warn(warning, 'Reader reports a fault of its own'),
  };
}

/** Per reader and kind of fault; the next line gives the number dropped. */
const LINES_A_MINUTE = 1;

function subjectOf({ reader, topic }: ReadMessage): string {
  return reader === null ? `topic ${topic}` : `reader ${reader.readerId}`;
}

function about({ reader, topic }: ReadMessage): object {
  return reader === null
    ? { topic }
    : { orgId: reader.orgId, readerId: reader.readerId, reader: reader.name, topic };
}
