import type { Logger } from 'pino';
import type { RegisteredReader } from '../../../domain/messages/load-readers.ts';
import { LogBudget } from '../../../platform/runtime/log-budget.ts';
import type { Registry } from '../registry/registry.ts';
import type { EmbeddedBrokerOptions } from './embedded-broker.ts';

/** 24 bytes in base64url (`makePassword`). */
const PASSWORD = /^[\w-]{32}$/;

type BrokerCallbacks = Pick<
  EmbeddedBrokerOptions,
  'onConnected' | 'onDisconnected' | 'onRefused' | 'onThrottled'
> &
  Required<Pick<EmbeddedBrokerOptions, 'onTakenOver'>>;

/**
 * Logs readers at the embedded broker. Repeated refusals of a reader are logged once a minute; unknown names,
 * which are easily made up, share one such line.
 */
export function readersLog(log: Logger, registry: Pick<Registry, 'byUsername'>): BrokerCallbacks {
  const refused = new LogBudget(LINES_A_MINUTE);
  const throttled = new LogBudget(LINES_A_MINUTE);
  const takenOver = new LogBudget(LINES_A_MINUTE);
  return {
    onConnected: (reader, remoteAddress) => log.info({ ...about(reader), remoteAddress }, 'Reader connected'),
    onDisconnected: (reader) => log.info(about(reader), 'Reader disconnected'),
    onRefused: (username, reason) => {
      const reader = username === null ? undefined : registry.byUsername(username);
      // The part in brackets is the reader's own text.
      const leftOut = refused.take(`${reader?.username ?? ''} ${reason.split(' (', 1)[0]}`);
      if (leftOut !== null) {
        const whose = reader === undefined ? {} : about(reader);
        const name = username === null ? null : shownName(username).slice(0, LONGEST_NAME);
        log.warn({ username: name, ...whose, reason, times: leftOut + 1 }, 'Reader refused');
      }
    },
    onThrottled: (reader) => {
      const leftOut = throttled.take(reader.username);
      if (leftOut !== null) {
        log.warn(
          { ...about(reader), times: leftOut + 1 },
          'Reader exceeds READER_MESSAGES_PER_SECOND, READER_READS_PER_SECOND or READER_BYTES_PER_SECOND; it is throttled',
        );
      }
    },
    onTakenOver: (reader, addresses) => {
      const leftOut = takenOver.take(reader.username);
      if (leftOut !== null) {
        log.warn(
          { ...about(reader), ...addresses, times: leftOut + 1 },
          'Reader connected again with the same login and client id, which ended its earlier connection; give two devices two logins',
        );
      }
    },
  };
}

/** Per name and reason. */
const LINES_A_MINUTE = 1;

/** UTF-16 units; a stranger may send 64 KiB. */
const LONGEST_NAME = 100;

function about({ orgId, readerId, name }: RegisteredReader): object {
  return { orgId, readerId, reader: name };
}

/**
 * A refused user name as it may be shown: one as long as a generated password is probably a password in the wrong
 * field.
 */
export function shownName(username: string): string {
  return PASSWORD.test(username) ? `${username.slice(0, 3)}***` : username;
}
