import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'openapi-fetch';
import { type Asked, askForMoves, type FeedEvent } from './ask-for-moves.ts';
import { FeedExpiredError } from './error.ts';
import type { paths } from './paths.ts';
import { unwrap } from './unwrap.ts';

export interface FollowOptions {
  /** The position to continue after; default 0, the beginning. */
  after?: number;
  /** Ends the iteration, without an error. */
  signal?: AbortSignal;
  /** Called before each pause that failures, the rate limit or a restart of the service make. */
  onWait?: (reason: { status: number | null; milliseconds: number }) => void;
}

export interface Following extends AsyncIterable<FeedEvent> {
  /**
   * The position of the last event handed out. Store it once that is dealt with: continue after it, in this or another
   * run.
   */
  readonly position: number;
}

/**
 * The events of the feed after a position, one by one, for as long as it takes: waits for the next, and asks again after
 * failures, with growing pauses. Each comes at least once, and in order; types that are not known today come, too.
 *
 * It leaves half of the rate limit to others: when less is left, it asks only as often as the budget refills.
 *
 * @throws TagtrailError when the API refuses, FeedExpiredError when what follows the position is not kept any more.
 */
export function follow(
  client: Client<paths>,
  { after = 0, signal, onWait = () => {} }: FollowOptions = {},
): Following {
  let position = after;
  async function* events(): AsyncGenerator<FeedEvent, void> {
    for (let failures = 0; ; ) {
      const asked = await askForMoves(client, position, signal);
      if (signal?.aborted) {
        return;
      }
      for (const event of asked.moves ?? []) {
        position = event.data.position;
        yield event;
        if (signal?.aborted) {
          return;
        }
      }
      failures = asked.moves === null ? failures + 1 : 0;
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

/** The position of the last event there is: read it before what the events are to be applied to. */
export async function feedHead(client: Client<paths>): Promise<number> {
  const answer = await client.GET('/api/v1/moves', { params: { query: { limit: 1 } } });
  try {
    return unwrap(answer).data.head;
  } catch (error) {
    if (error instanceof FeedExpiredError) {
      return error.head;
    }
    throw error;
  }
}

/** Milliseconds until the next attempt, by the number of failures in a row. */
function pauseAfter({ moves, response, took }: Asked, failures: number): number {
  // Those who share a service should not all come back at once.
  const jitter = 0.5 + Math.random();
  if (moves === null) {
    const told = (Number(response?.headers.get('Retry-After')) || 0) * 1000;
    return response?.status === 429 && told > 0
      ? told + 250 * jitter
      : Math.max(told, Math.min(LONGEST_PAUSE, 500 * 2 ** (failures - 1)) * jitter);
  }
  if (moves.length === 0 && took < 1000) {
    // It stops, or too many wait.
    return 1000 * jitter;
  }
  const [limit, left] = ['Limit', 'Remaining'].map((name) =>
    Number(response?.headers.get(`X-RateLimit-${name}`) ?? Number.POSITIVE_INFINITY),
  ) as [number, number];
  return left < limit / 2 ? 60_000 / limit : 0;
}

const LONGEST_PAUSE = 30_000;
