import { type JsonSchema, TIME_SCHEMA } from '../../../base/checks/fields.ts';
import { invalid, invalidValue } from '../../../base/checks/issues.ts';
import { writeJson } from '../../../base/json/json-text.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { ALERT_TYPES } from '../../../domain/moves/alert-event.ts';
import { MOVE_TYPES } from '../../../domain/moves/event.ts';
import type { Wake } from '../../../domain/moves/move-waiters.ts';
import { type FeedPage, type FeedQuery, readMoves } from '../../../domain/moves/read-moves.ts';
import { described, integer } from '../../../platform/http/parameters.ts';
import { Problem } from '../../../platform/http/problem.ts';
import type { ParameterValues, Query } from '../../../platform/http/query.ts';
import { answered, JsonBytes } from '../../../platform/http/success.ts';
import { ALERT } from '../alerts/schema.ts';
import { type MoveReading, route } from '../serving/context.ts';
import { MOVE_DATA, MOVE_DATA_EXAMPLE, MOVE_DATA_POSITION } from './data-schema.ts';

const POSITION_SCHEMA: JsonSchema = { type: 'integer', format: 'int64', minimum: 0 };

/** Contract 2.8. */
const MOVE_EVENT: JsonSchema = {
  title: 'MoveEvent',
  description: 'A change of the history of one asset, as a CloudEvent (1.0, structured JSON).',
  type: 'object',
  properties: {
    specversion: { type: 'string', const: '1.0', description: 'The version of CloudEvents.' },
    id: { type: 'string', minLength: 1, description: 'The same whenever the event is read.' },
    source: {
      type: 'string',
      format: 'uri-reference',
      minLength: 1,
      description: 'The feed of the organization.',
    },
    type: {
      type: 'string',
      'x-extensible-enum': Object.values(MOVE_TYPES),
      description:
        'A move added one row at the end of the history; anything else is a correction. More types may come: pass over events of types you do not know.',
    },
    subject: { type: 'string', minLength: 1, description: 'The asset.' },
    time: {
      ...TIME_SCHEMA,
      description: 'When the change was recorded. From one event of an asset to its next it never goes back.',
    },
    datacontenttype: { type: 'string', const: 'application/json', description: 'What `data` is.' },
    data: MOVE_DATA,
  },
  required: ['specversion', 'id', 'source', 'type', 'subject', 'time', 'datacontenttype', 'data'],
  examples: [
    {
      specversion: '1.0',
      id: 'org-1-48123',
      source: '/orgs/1/moves',
      type: MOVE_TYPES.corrected,
      subject: 'assets/17',
      time: '2026-05-04T08:00:11.120Z',
      datacontenttype: 'application/json',
      data: MOVE_DATA_EXAMPLE,
    },
  ],
};

const { properties, required } = MOVE_EVENT as {
  properties: Readonly<Record<string, JsonSchema>>;
  required: readonly string[];
};

/** Without its title, as its description differs. */
const { title: _, ...TOLD_ALERT } = ALERT;

/** Contract 2.8. */
const ALERT_EVENT: JsonSchema = {
  title: 'AlertEvent',
  description: 'A change of the state of an alert, as a CloudEvent (1.0, structured JSON).',
  type: 'object',
  properties: {
    ...properties,
    type: {
      type: 'string',
      'x-extensible-enum': Object.values(ALERT_TYPES),
      description:
        'What became of the alert. `opened` may come again, where a warning became an alarm. More types may come.',
    },
    subject: { type: 'string', minLength: 1, description: 'The alert.' },
    time: { ...TIME_SCHEMA, description: 'When the change was recorded.' },
    data: {
      title: 'AlertData',
      description: 'The alert as it was then.',
      type: 'object',
      properties: {
        position: MOVE_DATA_POSITION,
        alert: { ...TOLD_ALERT, description: 'The alert, with its state as it was then.' },
      },
      required: ['position', 'alert'],
    },
  },
  required,
  examples: [
    {
      specversion: '1.0',
      id: 'org-1-48124',
      source: '/orgs/1/moves',
      type: ALERT_TYPES.alert_opened,
      subject: 'alerts/01KQSB3M8R0E5T9V2W4X6Y8Z1B',
      time: '2026-05-04T08:00:12.310Z',
      datacontenttype: 'application/json',
      data: { position: 48_124, alert: (ALERT['examples'] as readonly unknown[])[0] },
    },
  ],
};

/** Has no type of today, so that a faulty event of a known type does not pass for one. */
const OTHER_EVENT: JsonSchema = {
  title: 'OtherEvent',
  description: 'An event of a type that may come: only its position is known. Pass over it.',
  type: 'object',
  properties: {
    ...properties,
    type: {
      type: 'string',
      not: { enum: [MOVE_TYPES, ALERT_TYPES].flatMap((types) => Object.values(types)) },
      description: 'A type that is not known today.',
    },
    subject: { type: 'string', minLength: 1, description: 'What it is about.' },
    data: {
      title: 'OtherEventData',
      type: 'object',
      properties: { position: MOVE_DATA_POSITION },
      required: ['position'],
    },
  },
  required,
};

/** Contract 4.9. */
const FEED: JsonSchema = {
  title: 'MoveFeedEnvelope',
  type: 'object',
  properties: {
    data: {
      title: 'MoveFeed',
      description: 'A part of the feed.',
      type: 'object',
      properties: {
        moves: {
          type: 'array',
          items: { anyOf: [MOVE_EVENT, ALERT_EVENT, OTHER_EVENT], examples: MOVE_EVENT['examples'] },
          description:
            'The events after `after`, in order of their positions: at most `limit`, fewer if they are large.',
        },
        next: {
          ...POSITION_SCHEMA,
          description:
            'Send this as `after` next time: the position of the last of these events, or the `after` you sent.',
          examples: [48_123],
        },
        head: {
          ...POSITION_SCHEMA,
          description: 'The last position there is; 0 in an empty feed.',
          examples: [48_123],
        },
        oldest: {
          ...POSITION_SCHEMA,
          minimum: 1,
          description:
            'The first position that is kept; 1 unless the operator limits how long events are kept.',
          examples: [1],
        },
      },
      required: ['moves', 'next', 'head', 'oldest'],
    },
  },
  required: ['data'],
};

/** Not bounded here: a position beyond the head is refused once the head is known. */
const position = {
  ...integer({ min: 0, max: Number.POSITIVE_INFINITY }, 0),
  schema: { ...POSITION_SCHEMA, maximum: Number.MAX_SAFE_INTEGER, default: 0 },
};

const MOVES = {
  parameters: {
    after: described(
      position,
      'The position up to which you have read: `next` of the answer before. Beyond `head` it is refused; where what follows is not kept any more, the answer is 410.',
      48_122,
    ),
    limit: described(integer({ min: 1, max: 200 }, 50), 'How many events an answer has at most.'),
    wait: described(
      integer({ min: 0, max: 30 }, 0),
      'How many seconds to wait if there is nothing after `after`. The answer comes as soon as there is something, or when the time is up, and early without any if the service stops or is asked by too many at once.',
      30,
    ),
  },
} as const satisfies Query;

type MovesQuery = ParameterValues<(typeof MOVES)['parameters']>;

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
  success: answered(FEED, 'The events after the position'),
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
  const question = { after: position, limit };
  const until = performance.now() + wait * 1000;
  for (let wake: Wake | null = null; ; ) {
    // Before the look, so that nothing sealed in between is missed.
    const watch = wait === 0 ? null : waiters.watch(db.orgId, position);
    try {
      const looked = await (wake?.once(look, db, question) ?? reads.read(look, db, question));
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

async function look(db: OrganizationDatabase, query: FeedQuery) {
  const page = await readMoves(db.listing({ isBrief: true, fromPrimary: true, signal: undefined }), query);
  requireReadable(query.after, page);
  return { isEmpty: page.events.length === 0, body: feedView(page, query.after) };
}

/** @throws Invalid beyond the head; Problem `feed_expired` for an expired position. */
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
