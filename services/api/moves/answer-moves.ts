import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import type { Wake } from '../../../domain/moves/move-waiters.ts';
import { readMoves } from '../../../domain/moves/read-moves.ts';
import type { JsonBytes } from '../../../platform/http/json-bytes.ts';
import type { MoveReading } from '../serving/move-reading.ts';
import { requireReadable } from './require-readable.ts';
import type { MovesQuery } from './schema.ts';
import { feedView } from './view.ts';

interface Asking extends MoveReading {
  db: OrganizationDatabase;
  signal(): AbortSignal;
  /** @throws Problem if the caller was revoked meanwhile. */
  confirm(): Promise<void>;
}

/**
 * Long poll: answers with the events after a position, or waits for some. A waiting request holds neither a connection
 * nor a turn. Equal requests at the same time, common after a restart, share one query; those woken by one announcement
 * also share the bytes of the answer.
 *
 * @throws what `requireReadable` throws; the signal's reason.
 */
export async function answerMoves(
  { db, waiters, reads, signal, confirm }: Asking,
  { after, limit, wait }: MovesQuery,
): Promise<JsonBytes> {
  // A larger position is beyond any head: it is only compared, and refused.
  const position = Math.min(after, Number.MAX_SAFE_INTEGER);
  const look = async () => {
    const page = await readMoves(db.listing({ isBrief: true, fromPrimary: true, signal: undefined }), {
      after: position,
      limit,
    });
    requireReadable(position, page);
    return { isEmpty: page.events.length === 0, body: feedView(page, position) };
  };
  const what = `${db.orgId} ${position} ${limit}`;
  const until = performance.now() + wait * 1000;
  for (let wake: Wake | null = null; ; ) {
    // Before the look, so that nothing sealed in between is missed.
    const watch = wait === 0 ? null : waiters.watch(db.orgId, position);
    try {
      const looked = await (wake?.once(what, look) ?? reads.read(what, look));
      if (!looked.isEmpty || watch === null) {
        return looked.body;
      }
      wake = await watch.next({ milliseconds: until - performance.now(), signal: signal() });
      // Whatever ended the wait: the caller may have been revoked since.
      await confirm();
      if (wake === null) {
        return looked.body;
      }
    } finally {
      watch?.leave();
    }
  }
}
