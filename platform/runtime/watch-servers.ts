import type { Logger } from 'pino';
import { CONTROL_DATA } from '../../db/timescale/connections/ask-server.ts';
import { connectionConfig } from '../../db/timescale/connections/connection.ts';
import type { Check } from './health.ts';
import type { Lifecycle } from './lifecycle.ts';
import { repeat } from './repeat.ts';

/** Milliseconds between questions. */
const EVERY = 5_000;

type Notices = Readonly<Record<string, Check>>;

/** Services of one process share it. */
const watched = new WeakMap<Lifecycle, Promise<Notices>>();

/**
 * If DATABASE_URL names several servers, asks them regularly which of them take changes. So connections leave a
 * replaced primary that goes on running, and the log names both.
 *
 * @returns a notice for readiness; none for a single server.
 */
export async function watchServers(
  url: string,
  { log, lifecycle }: { log: Logger; lifecycle: Lifecycle },
): Promise<Notices> {
  const watching = watched.get(lifecycle) ?? watch(url, log, lifecycle);
  watched.set(lifecycle, watching);
  return watching;
}

async function watch(url: string, log: Logger, lifecycle: Lifecycle): Promise<Notices> {
  const { servers } = connectionConfig(url, 'tagtrail servers');
  if (servers?.areSeveral !== true) {
    return {};
  }
  let fault: string | null = null;
  let areUntold = false;
  const look = async () => {
    const found = await servers.examine();
    const { message = null, remedy } = found ?? {};
    if (servers.areUntold && !areUntold) {
      log.warn(
        { remedy: `Let the login of DATABASE_URL execute ${CONTROL_DATA}` },
        'Servers of the database are not compared; none is noticed that is of another cluster',
      );
    }
    areUntold = servers.areUntold;
    if (message !== fault && message !== null) {
      log.error({ fault: message, remedy }, 'Database servers misconfigured');
    } else if (message !== fault) {
      log.info('Database servers in order again');
    }
    fault = message;
  };
  await lifecycle.start(
    'servers of the database',
    () => repeat(EVERY, look, (error) => log.error({ err: error }, 'Database servers could not be checked')),
    (started) => started.stop(),
  );
  return {
    servers: async () => {
      if (fault !== null) {
        throw new Error(fault);
      }
    },
  };
}
