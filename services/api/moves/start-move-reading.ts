import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { SharedReads } from '../../../base/shared-reads.ts';
import { listen } from '../../../db/timescale/connections/listen.ts';
import { MoveWaiters } from '../../../domain/moves/move-waiters.ts';
import { CHANGES_SEALED, headsOf, MOVES_SEALED } from '../../../domain/moves/sealed-announcement.ts';
import { socketLimit } from '../../../platform/runtime/descriptor-limit.ts';
import { measureFigure } from '../../../platform/runtime/figures.ts';
import type { Lifecycle } from '../../../platform/runtime/lifecycle.ts';
import type { MoveReading } from '../serving/context.ts';

/** Most waiting requests of a process. Where it may open few files: two thirds of the connections it can have. */
const MOST = 1_000;
const SHARE_OF_DESCRIPTORS = 0.1;

/** Starts long polling: requests wait for the sealer's announcements. Once shutdown is announced, none waits. */
export async function startMoveReading(
  url: string,
  { log, lifecycle, registry }: { log: Logger; lifecycle: Lifecycle; registry: Registry },
): Promise<MoveReading> {
  const waiters = new MoveWaiters(socketLimit(MOST, SHARE_OF_DESCRIPTORS));
  const help = 'Requests that wait for a feed to go on.';
  measureFigure(registry, 'tagtrail_api_waiting_requests', help, () => waiters.size);
  await lifecycle.start(
    'announcements of moves',
    () =>
      listen(url, [MOVES_SEALED, CHANGES_SEALED], {
        onNotify: (channel, payload) =>
          announce(headsOf(payload), channel === CHANGES_SEALED ? 'changes' : 'moves', waiters),
        onReconnect: () => waiters.sealedAny(),
        onLost: ({ message }) =>
          log.warn(
            { reason: message },
            'Move announcements interrupted; waiting requests are answered once they resume',
          ),
      }),
    (listener) => listener.close(),
  );
  lifecycle.stopping.addEventListener('abort', () => waiters.end());
  return { waiters, reads: new SharedReads() };
}

/** @param heads null if any feed may have gone on. */
function announce(
  heads: ReadonlyMap<number, number> | null,
  feed: 'moves' | 'changes',
  waiters: MoveWaiters,
): void {
  if (heads === null) {
    waiters.sealedAny();
  }
  for (const [orgId, head] of heads ?? []) {
    waiters.sealed(orgId, head, feed);
  }
}
