import type { Logger } from 'pino';
import type { Lifecycle } from '../runtime/lifecycle.ts';
import { LargeBodies } from './large-bodies.ts';

/** Its threads end when the process stops, after whatever is started behind it and takes requests. */
export function startLargeBodies(log: Logger, lifecycle: Lifecycle): Promise<LargeBodies> {
  return lifecycle.start(
    'large bodies',
    () => new LargeBodies(log),
    (started) => started.close(),
  );
}
