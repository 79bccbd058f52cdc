import type { Client } from 'openapi-fetch';
import { FeedExpiredError } from './error.ts';
import type { components, paths } from './paths.ts';
import { unwrap } from './unwrap.ts';

export type MoveEvent = components['schemas']['MoveEvent'];
export type AlertEvent = components['schemas']['AlertEvent'];
/** One of a type that is not known today has a position in its data, and what its type says. */
export type FeedEvent = MoveEvent | AlertEvent | components['schemas']['OtherEvent'];
/** Its resource and action may be others than are known today. */
export type ChangeEvent = components['schemas']['ChangeEvent'];

/** False of alerts, and of types that are not known today. */
export function isMove(event: FeedEvent): event is MoveEvent {
  return /^tagtrail\.(asset\.moved|history\.corrected)\.v1$/.test(event.type);
}

/** False of moves, and of types that are not known today. */
export function isAlert(event: FeedEvent): event is AlertEvent {
  return /^tagtrail\.alert\.(opened|acknowledged|closed|withdrawn)\.v1$/.test(event.type);
}

export interface Feed<Event> {
  /** Asks once. @throws what `fetch` throws. */
  ask(client: Client<paths>, query: FeedQuery, options?: AskOptions): Promise<FeedAnswer<Event>>;
  positionOf(event: Event): number;
}

interface FeedQuery {
  after?: number;
  limit: number;
  wait?: number;
}

interface AskOptions {
  signal?: AbortSignal;
  fetch?: (request: Request) => Promise<Response>;
}

export interface FeedAnswer<Event> {
  response: Response;
  /** @throws TagtrailError for a refusal. */
  page(): { events: Event[]; head: number };
}

export const MOVES: Feed<FeedEvent> = {
  ask: async (client, query, options) => {
    const answer = await client.GET('/api/v1/moves', { params: { query }, ...options });
    const page = () => {
      const { moves: events, head } = unwrap(answer).data;
      return { events, head };
    };
    return { response: answer.response, page };
  },
  positionOf: ({ data }) => data.position,
};

export const CHANGES: Feed<ChangeEvent> = {
  ask: async (client, query, options) => {
    const answer = await client.GET('/api/v1/changes', { params: { query }, ...options });
    const page = () => {
      const { changes: events, head } = unwrap(answer).data;
      return { events, head };
    };
    return { response: answer.response, page };
  },
  positionOf: ({ position }) => position,
};

/** The position of the last event there is: read it before what the events are to be applied to. */
export async function headOf(client: Client<paths>, feed: Feed<unknown>): Promise<number> {
  const answer = await feed.ask(client, { limit: 1 });
  try {
    return answer.page().head;
  } catch (error) {
    if (error instanceof FeedExpiredError) {
      return error.head;
    }
    throw error;
  }
}
