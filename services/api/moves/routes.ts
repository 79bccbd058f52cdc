import { invalid, invalidValue } from '../../../base/checks/issues.ts';
import { writeJson } from '../../../base/json/json-text.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import type { Wake } from '../../../domain/moves/move-waiters.ts';
import { type FeedPage, readMoves } from '../../../domain/moves/read-moves.ts';
import { JsonBytes } from '../../../platform/http/json-bytes.ts';
import { Problem } from '../../../platform/http/problem.ts';
import { answered } from '../../../platform/http/success.ts';
import { route } from '../serving/context.ts';
import type { MoveReading } from '../serving/move-reading.ts';
import { FEED, MOVES, type MovesQuery } from './schema.ts';

const list = route({
  method: 'GET',
  path: '/api/v1/moves',
  operationId: 'listMoves',
  summary: 'Follow moves and corrections',
  description:
    'Every change of every history and of every alert, once recorded never lost, in one order: read from a position on, and wait for more. A request costs one token, however long it waits.',
  scope: 'tracking:read',
  query: MOVES,
  params: {},
  success: answered(FEED, 'What comes after the position'),
  problems: { feed_expired: 'Events after this position are not kept any more' },
  handle: ({ context: { db, moveReading }, query, signal, confirm }) =>
    answerMoves({ db, ...moveReading, signal, confirm }, query),
});

export const moveRoutes = [list];

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
async function answerMoves(
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

/** @throws Invalid beyond the head; Problem `feed_expired` for a position older than what is kept. */
function requireReadable(after: number, { head, oldest }: Omit<FeedPage, 'events'>): void {
  if (after > head) {
    throw invalid([invalidValue('after', `must be at most ${head}, the head of the feed`, { max: head })]);
  }
  if (after < oldest - 1) {
    throw new Problem(
      'feed_expired',
      `Events after position ${after} are not kept any more; the oldest is ${oldest}, the head ${head}. Begin anew: read the report and the histories, then follow from the head`,
      { params: { oldest, head } },
    );
  }
}

/** Contract 4.9. Serialized here, since a thousand waiting requests may share the same bytes. */
function feedView({ events, head, oldest }: FeedPage, after: number): JsonBytes {
  const next = events.at(-1)?.data.position ?? after;
  return new JsonBytes(Buffer.from(writeJson({ data: { moves: events, next, head, oldest } })));
}
