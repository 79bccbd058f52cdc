import { ID_SCHEMA, type JsonSchema, TIME_SCHEMA } from '../../../base/checks/fields.ts';
import { nullableSchema } from '../../../base/checks/members.ts';
import type { SharedReads } from '../../../base/shared-reads.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { ALERT_TYPES, type AlertEvent } from '../../../domain/moves/alert-event.ts';
import { eventOf, isAlert, MOVE_TYPES, type MoveEvent, type MoveRow } from '../../../domain/moves/event.ts';
import type { MoveWaiters, Wake } from '../../../domain/moves/move-waiters.ts';
import { latestMoves } from '../../../domain/moves/moves-at.ts';
import { type FeedPage, readMovesAs } from '../../../domain/moves/read-moves.ts';
import { COMMENT, EventStream, eventText } from '../../../platform/http/event-stream.ts';
import { idFilter, integer } from '../../../platform/http/parameters.ts';
import { Problem } from '../../../platform/http/problem.ts';
import type { Query } from '../../../platform/http/query.ts';
import { found } from '../../../platform/http/success.ts';
import { ALERT, MOVE_CURRENT, MOVE_PART } from '../../api/entry.ts';
import { memberRoute } from '../serving/context.ts';
import type { Cut } from '../serving/measures.ts';
import { COUNT_SCHEMA, eventsOf, listOf, objectOf, REFERENCE, TEXT_SCHEMA } from '../serving/schemas.ts';

/** `organization` is read with the session: an `EventSource` can send no header. */
const EVENTS = {
  parameters: {
    after: integer({ min: 0, max: Number.MAX_SAFE_INTEGER }, undefined),
    organization: idFilter,
  },
} as const satisfies Query;

/** An event of the feed, with fewer fields, and with the names of the asset and its locations. */
const MOVE: JsonSchema = objectOf({
  ...{ specversion: TEXT_SCHEMA, id: TEXT_SCHEMA, source: TEXT_SCHEMA, subject: TEXT_SCHEMA },
  ...{ time: TIME_SCHEMA, datacontenttype: TEXT_SCHEMA },
  type: { type: 'string', enum: Object.values(MOVE_TYPES) },
  data: {
    type: 'object',
    properties: {
      ...{ position: COUNT_SCHEMA, asset: REFERENCE, current: MOVE_CURRENT, part: MOVE_PART },
      previous_location_id: nullableSchema(ID_SCHEMA),
    },
    required: ['position', 'asset', 'current', 'previous_location_id'],
  },
});

/** As it was then. */
const ALERT_CHANGED: JsonSchema = objectOf({
  type: { type: 'string', enum: Object.values(ALERT_TYPES) },
  data: objectOf({ position: COUNT_SCHEMA, alert: ALERT }),
});

const stream = memberRoute({
  ...{ method: 'GET', path: '/console/v1/events', operationId: 'streamMoves' },
  summary: 'Moves as they are committed',
  description: 'Server-sent events; `Last-Event-ID` resumes. A `reset` says that some are not kept any more.',
  scope: 'tracking:read',
  query: EVENTS,
  success: eventsOf({ move: MOVE, alert: ALERT_CHANGED }),
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

/** Browsers send back an event's `id`; anything else is not from us. */
function positionOf(lastEventId: string | null): number | null {
  return lastEventId !== null && /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : null;
}

const LATEST = 30;

const latest = memberRoute({
  ...{ method: 'GET', path: '/console/v1/latest-moves', operationId: 'listLatestMoves' },
  summary: 'The last moves from one place to another, as they are streamed',
  scope: 'tracking:read',
  success: found(listOf(MOVE), 'The last moves, the latest last'),
  handle: ({ context: { db } }) =>
    latestMoves(db.listing({ isBrief: true, fromPrimary: true, signal: undefined }), LATEST, eventSeen),
});

export const eventRoutes = [stream, latest];

interface Viewing {
  db: OrganizationDatabase;
  waiters: MoveWaiters;
  reads: SharedReads;
  /** Aborted when the viewer goes. */
  signal: AbortSignal;
  /** @throws Problem if the session or the membership has ended meanwhile. */
  confirm(): Promise<void>;
  onCut(why: Cut): void;
}

/** Milliseconds of silence after which a comment is sent. */
const SILENCE = 15_000;

/** Events per piece: the most that is held for a slow viewer. */
const LIMIT = 200;

/**
 * The moves and alerts after a position, or from now on: `ready` with the head, then each event, with its position as id. Viewers at
 * the same position share one query and one text.
 *
 * It ends when the session does, and when the service stops or has too many who wait; then the browser comes again.
 */
async function* streamMoves(viewing: Viewing, after: number | null): AsyncGenerator<string, void> {
  // Beyond the head nothing is read but where it is.
  const { head } = await look(viewing, Number.MAX_SAFE_INTEGER, null);
  let position = after ?? head;
  yield eventText({ id: position, event: 'ready', data: { position, head } });
  for (let wake: Wake | null = null; ; ) {
    // Before the look, so that nothing sealed in between is missed.
    const watch = viewing.waiters.watch(viewing.db.orgId, position);
    let piece = '';
    try {
      const seen: Seen = await look(viewing, position, wake);
      wake = null;
      if (position > seen.head || position < seen.oldest - 1) {
        position = seen.head;
        piece = eventText({ id: position, event: 'reset', data: { position } });
      } else if (seen.text !== '') {
        position = seen.next;
        piece = seen.text;
      } else {
        const since = performance.now();
        wake = await watch.next({ milliseconds: SILENCE, signal: viewing.signal });
        if (wake === null && performance.now() - since < SILENCE / 2) {
          return;
        }
        piece = wake === null ? COMMENT : '';
      }
      await viewing.confirm();
    } catch (error) {
      // The answer has begun, so all that is left is to end it; the viewer learns why on coming back.
      viewing.onCut(error instanceof Problem && SIGNED_OUT.has(error.type) ? 'signed_out' : 'failed');
      return;
    } finally {
      watch.leave();
    }
    if (piece !== '') {
      yield piece;
    }
  }
}

const SIGNED_OUT = new Set<string>(['unauthorized', 'forbidden']);

interface Seen extends Pick<FeedPage, 'head' | 'oldest'> {
  text: string;
  next: number;
}

function look({ db, reads }: Viewing, after: number, wake: Wake | null): Promise<Seen> {
  return wake?.once(readSeen, db, { after }) ?? reads.read(readSeen, db, { after });
}

async function readSeen(db: OrganizationDatabase, { after }: { after: number }): Promise<Seen> {
  const { events, head, oldest } = await readMovesAs<EventSeen>(
    db.listing({ isBrief: true, fromPrimary: true, signal: undefined }),
    { after, limit: LIMIT },
    eventSeen,
  );
  const texts = events.map((event) =>
    eventText({ id: event.data.position, event: 'alert' in event.data ? 'alert' : 'move', data: event }),
  );
  return { text: texts.join(''), next: events.at(-1)?.data.position ?? after, head, oldest };
}

/** An event of the feed, with what a screen also needs: the previous location, and names. */
interface MoveSeen extends Omit<MoveEvent, 'data'> {
  data: Pick<MoveEvent['data'], 'position' | 'current' | 'part'> & {
    asset: { id: number; external_key: string; name: string };
    previous_location_id: number | null;
  };
}

type EventSeen = MoveSeen | AlertEvent;

/** Without the rows of the history, which may be a thousand: who shows a history reads it again. */
function eventSeen(row: MoveRow): EventSeen {
  const told = eventOf(row);
  if (isAlert(told)) {
    return told;
  }
  const { data, ...event } = told;
  const { position, asset, current, part } = data;
  return {
    ...event,
    data: {
      ...{ position, asset: { ...asset, name: row.asset_name ?? '' }, current },
      previous_location_id: row.previous_location_id,
      ...(part === undefined ? {} : { part }),
    },
  };
}
