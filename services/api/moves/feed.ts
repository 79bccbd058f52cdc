import type { JsonSchema } from '../../../base/checks/fields.ts';
import { invalid, invalidValue } from '../../../base/checks/issues.ts';
import { writeJson } from '../../../base/json/json-text.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import type { Wake } from '../../../domain/moves/move-waiters.ts';
import type { FeedPage, FeedQuery } from '../../../domain/moves/read-moves.ts';
import { described, integer } from '../../../platform/http/parameters.ts';
import { Problem } from '../../../platform/http/problem.ts';
import type { ParameterValues, Query } from '../../../platform/http/query.ts';
import { JsonBytes } from '../../../platform/http/success.ts';
import type { MoveReading } from '../serving/context.ts';

const POSITION_SCHEMA: JsonSchema = { type: 'integer', format: 'int64', minimum: 0 };

/** Contract 4.9. */
export function feedSchema(title: string, name: string, items: JsonSchema): JsonSchema {
  return {
    title: `${title}FeedEnvelope`,
    type: 'object',
    properties: {
      data: {
        title: `${title}Feed`,
        description: 'A part of the feed.',
        type: 'object',
        properties: {
          [name]: {
            type: 'array',
            items,
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
        required: [name, 'next', 'head', 'oldest'],
      },
    },
    required: ['data'],
  };
}

/** Not bounded here: a position beyond the head is refused once the head is known. */
const position = {
  ...integer({ min: 0, max: Number.POSITIVE_INFINITY }, 0),
  schema: { ...POSITION_SCHEMA, maximum: Number.MAX_SAFE_INTEGER, default: 0 },
};

export const FEED_QUERY = {
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

type FeedParameters = ParameterValues<(typeof FEED_QUERY)['parameters']>;

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
 * @param look is named once, apart from any request.
 * @throws what `lookedAt` throws; the signal's reason.
 */
export async function answerFeed(
  { db, waiters, reads, signal, confirm }: Asking,
  { after, limit, wait }: FeedParameters,
  look: (db: OrganizationDatabase, query: FeedQuery) => Promise<Looked>,
  feed: 'moves' | 'changes' = 'moves',
): Promise<JsonBytes> {
  // A larger position is beyond any head: it is only compared, and refused.
  const position = Math.min(after, Number.MAX_SAFE_INTEGER);
  const question = { after: position, limit };
  const until = performance.now() + wait * 1000;
  for (let wake: Wake | null = null; ; ) {
    // Before the look, so that nothing sealed in between is missed.
    const watch = wait === 0 ? null : waiters.watch(db.orgId, position, feed);
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

interface Looked {
  isEmpty: boolean;
  body: JsonBytes;
}

/**
 * A page as the answer has it (contract 4.9). Serialized here, since a thousand waiting requests may share the same bytes.
 *
 * @param source what to read to begin anew.
 * @throws Invalid beyond the head; Problem `feed_expired` for an expired position.
 */
export function lookedAt<Event>(
  { events, head, oldest }: FeedPage<Event>,
  { after }: FeedQuery,
  name: string,
  positionOf: (event: Event) => number,
  source: string,
): Looked {
  if (after > head) {
    throw invalid([invalidValue('after', `must be at most ${head}, the head of the feed`, { max: head })]);
  }
  if (after < oldest - 1) {
    throw new Problem(
      'feed_expired',
      `Events after position ${after} are not kept any more; the oldest is ${oldest}, the head ${head}. Begin anew: read ${source}, then follow from the head`,
      { params: { oldest, head } },
    );
  }
  const last = events.at(-1);
  const next = last === undefined ? after : positionOf(last);
  return {
    isEmpty: last === undefined,
    body: new JsonBytes(Buffer.from(writeJson({ data: { [name]: events, next, head, oldest } }))),
  };
}
