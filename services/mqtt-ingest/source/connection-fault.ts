import type { Logger } from 'pino';
import { messageOf } from '../../../base/errors.ts';
import { DisconnectedByBroker, SESSION_TAKEN_OVER } from './broker-connection.ts';
import { QueueRefused } from './queue-refused.ts';

/** Milliseconds after which a connection counts as stable and the back-off starts over. */
export const STABLE = 5_000;

export function isTakenOver(fault: Error): boolean {
  return fault instanceof DisconnectedByBroker && fault.reasonCode === SESSION_TAKEN_OVER;
}

/** Logs a repeated fault once. A fault common to all sessions is logged by the process's own. */
export function reportFault(
  log: Logger,
  about: { fault: Error; lasted: number; retryIn: number; isNews: boolean; isOwn: boolean },
): void {
  const { fault, lasted, retryIn, isNews, isOwn } = about;
  const what = { reason: messageOf(fault), retryIn };
  if (fault instanceof QueueRefused) {
    log[isNews ? 'warn' : 'debug'](
      what,
      'Broker refuses a queue; its login needs to configure, write and read it. Will retry',
    );
  } else if (!isOwn) {
    log.debug(what, 'Session not connected to the broker');
  } else if (isTakenOver(fault)) {
    log.error(
      what,
      'Another process connected with the same client id; give each process an MQTT_CLIENT_ID of its own',
    );
  } else if (lasted === 0) {
    log[isNews ? 'warn' : 'debug'](what, 'Broker cannot be reached; will retry');
  } else if (lasted < STABLE) {
    log.warn(
      what,
      'Broker connection lost at once; if another process has the same client id, set MQTT_CLIENT_ID',
    );
  } else {
    log.warn(what, 'Broker connection lost; reconnecting');
  }
}
