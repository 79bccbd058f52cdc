import type { Logger } from 'pino';
import type { Lifecycle } from './lifecycle.ts';
import { WorkThreads } from './work-threads.ts';

/** The threads end at shutdown, after everything started later that takes requests and messages. */
export function startWorkThreads(log: Logger, lifecycle: Lifecycle): Promise<WorkThreads> {
  return lifecycle.start(
    'work threads',
    () => new WorkThreads(log),
    (started) => started.close(),
  );
}
