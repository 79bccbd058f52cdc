import type { JsonSchema } from '../../../base/checks/fields.ts';
import { latestMoves } from '../../../domain/moves/latest-moves.ts';
import { EventStream } from '../../../platform/http/event-stream.ts';
import { NO_QUERY } from '../../../platform/http/query.ts';
import { found, type Success } from '../../../platform/http/success.ts';
import { memberRoute } from '../serving/context.ts';
import type { Cut } from '../serving/measures.ts';
import { listOf } from '../serving/schemas.ts';
import { EVENTS } from './schema.ts';
import { streamMoves } from './stream-moves.ts';
import { eventSeen } from './view.ts';

const TEXT: JsonSchema = { type: 'string' };

const STREAM: Success<EventStream> = {
  ...{ status: 200, description: 'Events, until either side ends it', schema: TEXT, headers: {} },
  present: (body) => ({ body }),
};

const stream = memberRoute({
  ...{ method: 'GET', path: '/console/v1/events', operationId: 'streamMoves' },
  summary: 'Moves as they are committed',
  description: 'Server-sent events; `Last-Event-ID` resumes. A `reset` says that some are not kept any more.',
  scope: 'tracking:read',
  query: EVENTS,
  params: {},
  success: STREAM,
  problems: { unavailable: 'The user has too many streams' },
  handle: async ({ context, query: { after }, signal, confirm }) => {
    const { db, moveReading, parts, session } = context;
    const leave = parts.open.tabs.enter(session.user_id);
    const onCut = (why: Cut) => parts.measures.cut(why);
    const viewing = { db, ...moveReading, signal: signal(), confirm, onCut };
    return new EventStream((last) => streamMoves(viewing, positionOf(last) ?? after ?? null), {
      onCut: () => onCut('unread'),
      onClose: leave,
    });
  },
});

/** As browsers send back what an event's `id` was; anything else is not from us. */
function positionOf(lastEventId: string | null): number | null {
  return lastEventId !== null && /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : null;
}

const LATEST = 30;

const latest = memberRoute({
  ...{ method: 'GET', path: '/console/v1/latest-moves', operationId: 'listLatestMoves' },
  summary: 'The last moves from one place to another, as they are streamed',
  scope: 'tracking:read',
  query: NO_QUERY,
  params: {},
  success: found(listOf({ type: 'object' }), 'The last moves, the latest last'),
  handle: ({ context: { db } }) =>
    latestMoves(db.listing({ isBrief: true, fromPrimary: true, signal: undefined }), LATEST, eventSeen),
});

export const eventRoutes = [stream, latest];
