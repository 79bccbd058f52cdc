import type { Logger } from 'pino';
import { LogBudget } from '../../shared/runtime/log-budget.ts';
import type { RegisteredReader } from '../registry/load-readers.ts';
import type { Registry } from '../registry/registry.ts';
import type { EmbeddedBrokerOptions } from './embedded-broker.ts';

type Told = Pick<EmbeddedBrokerOptions, 'onConnected' | 'onDisconnected' | 'onRefused'>;

/** What is logged of readers at the embedded broker. One that is refused again and again is named once a minute. */
export function readersLog(log: Logger, registry: Pick<Registry, 'byUsername'>): Told {
  const refused = new LogBudget(LINES_A_MINUTE);
  return {
    onConnected: (reader, remoteAddress) =>
      log.info({ ...about(reader), remoteAddress }, 'A reader connected'),
    onDisconnected: (reader) => log.info(about(reader), 'A reader disconnected'),
    onRefused: (username, reason) => {
      const leftOut = refused.take(`${username} ${reason}`);
      if (leftOut !== null) {
        const reader = username === null ? undefined : registry.byUsername(username);
        const whose = reader === undefined ? {} : about(reader);
        log.warn({ username, ...whose, reason, times: leftOut + 1 }, 'A reader was refused');
      }
    },
  };
}

/** About one name and reason. */
const LINES_A_MINUTE = 1;

function about({ orgId, readerId, name }: RegisteredReader): object {
  return { orgId, readerId, reader: name };
}
