import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'openapi-fetch';
import type { Feed, FeedAnswer, FeedEvent } from './feeds.ts';
import type { paths } from './paths.ts';

export interface FollowOptions {
  /** The position to continue after; default 0, the beginning. */
  after?: number;
  /** Ends the iteration, without an error. */
  signal?: AbortSignal;
  /** Called before each pause that failures, the rate limit or a restart of the service make. */
  onWait?: (reason: { status: number | null; milliseconds: number }) => void;
}

export interface Following<Event = FeedEvent> extends AsyncIterable<Event> {
  /**
   * The position of the last event handed out. Store it once that is dealt with: continue after it, in this or another
   * run.
   */
  readonly position: number;
}

/**
 * The events of a feed after a position, one by one, for as long as it takes: waits for the next, and asks again after
 * failures, with growing pauses. Each comes at least once, and in order; types that are not known today come, too.
 *
 * It leaves half of the rate limit to others: when less is left, it asks only as often as the budget refills, and more
 * rarely the less there is. Two on one key leave a quarter.
 *
 * @throws TagtrailError when the API refuses, FeedExpiredError when what follows the position is not kept any more.
 */
export function follow<Event>(
  client: Client<paths>,
  feed: Feed<Event>,
  { after = 0, signal, onWait = () => {} }: FollowOptions = {},
): Following<Event> {
  let position = after;
  async function* events(): AsyncGenerator<Event, void> {
    for (let failures = 0; ; ) {
      const asked = await ask(client, feed, position, signal);
      if (signal?.aborted) {
        return;
      }
      for (const event of asked.events ?? []) {
        position = feed.positionOf(event);
        yield event;
        if (signal?.aborted) {
          return;
        }
      }
      failures = asked.events === null ? failures + 1 : 0;
      const milliseconds = pauseAfter(asked, failures);
      if (milliseconds > 0) {
        onWait({ status: asked.response?.status ?? null, milliseconds });
        await pause(milliseconds, undefined, signal === undefined ? {} : { signal }).catch(() => {});
      }
    }
  }
  return {
    get position() {
      return position;
    },
    [Symbol.asyncIterator]: events,
  };
}

interface Asked<Event> {
  /** Null if it has to be asked again. */
  events: Event[] | null;
  response: Response | null;
  /** Milliseconds that the answer took. */
  took: number;
}

/** @throws TagtrailError for a refusal that asking again would not change. */
async function ask<Event>(
  client: Client<paths>,
  feed: Feed<Event>,
  after: number,
  signal: AbortSignal | undefined,
): Promise<Asked<Event>> {
  const since = performance.now();
  const answer = await answerTo(client, feed, after, signal);
  const response = answer?.response ?? null;
  const isAnswered = answer !== null && !isRefusedForNow(answer.response.status);
  return { events: isAnswered ? answer.page().events : null, response, took: performance.now() - since };
}

/** Seconds; less than proxies wait for an answer, rarely below 30. */
const WAIT = 25;

/** Milliseconds after `wait` until the connection counts as dead. */
const PATIENCE = 20_000;

/** Null if none came: it was cut off, or not in time. */
async function answerTo<Event>(
  client: Client<paths>,
  feed: Feed<Event>,
  after: number,
  signal: AbortSignal | undefined,
): Promise<FeedAnswer<Event> | null> {
  const ending = new AbortController();
  const end = () => ending.abort();
  const timer = setTimeout(end, WAIT * 1000 + PATIENCE);
  signal?.addEventListener('abort', end);
  if (signal?.aborted) {
    end();
  }
  let isSent = false;
  try {
    return await feed.ask(
      client,
      { after, limit: 200, wait: WAIT },
      {
        signal: ending.signal,
        // Without the patience of other requests: this one has its own.
        fetch: (request) => {
          isSent = true;
          return fetch(request);
        },
      },
    );
  } catch (error) {
    if (!isSent) {
      throw error;
    }
    return null;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
  }
}

function isRefusedForNow(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}

/** Milliseconds until the next attempt, by the number of failures in a row. */
function pauseAfter({ events, response, took }: Asked<unknown>, failures: number): number {
  // Those who share a service should not all come back at once.
  const jitter = 0.5 + Math.random();
  if (events === null) {
    const told = (Number(response?.headers.get('Retry-After')) || 0) * 1000;
    return response?.status === 429 && told > 0
      ? told + 250 * jitter
      : Math.max(told, Math.min(LONGEST_PAUSE, 500 * 2 ** (failures - 1)) * jitter);
  }
  if (events.length === 0 && took < 1000) {
    // It stops, or too many wait.
    return 1000 * jitter;
  }
  const [limit, left] = ['Limit', 'Remaining'].map((name) =>
    Number(response?.headers.get(`X-RateLimit-${name}`) ?? Number.POSITIVE_INFINITY),
  ) as [number, number];
  return left < limit / 2 ? (60_000 / limit) * Math.min(4, limit / 2 / left) : 0;
}

const LONGEST_PAUSE = 30_000;
