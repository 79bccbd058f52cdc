import type { Client } from 'openapi-fetch';
import type { components, paths } from './paths.ts';
import { unwrap } from './unwrap.ts';

export type MoveEvent = components['schemas']['MoveEvent'];
export type AlertEvent = components['schemas']['AlertEvent'];
/** One of a type that is not known today has a position in its data, and what its type says. */
export type FeedEvent = MoveEvent | AlertEvent | components['schemas']['OtherEvent'];

/** False of alerts, and of types that are not known today. */
export function isMove(event: FeedEvent): event is MoveEvent {
  return /^tagtrail\.(asset\.moved|history\.corrected)\.v1$/.test(event.type);
}

/** False of moves, and of types that are not known today. */
export function isAlert(event: FeedEvent): event is AlertEvent {
  return /^tagtrail\.alert\.(opened|acknowledged|closed|withdrawn)\.v1$/.test(event.type);
}

export interface Asked {
  /** Null if it has to be asked again. */
  moves: FeedEvent[] | null;
  response: Response | null;
  /** Milliseconds that the answer took. */
  took: number;
}

/** Seconds; less than proxies wait for an answer, rarely below 30. */
const WAIT = 25;

/** Milliseconds after `wait` until the connection counts as dead. */
const PATIENCE = 20_000;

/** @throws TagtrailError for a refusal that asking again would not change. */
export async function askForMoves(
  client: Client<paths>,
  after: number,
  signal: AbortSignal | undefined,
): Promise<Asked> {
  const since = performance.now();
  const answer = await answerTo(client, after, signal);
  const response = answer?.response ?? null;
  const isAnswered = answer !== null && !isRefusedForNow(answer.response.status);
  return { moves: isAnswered ? unwrap(answer).data.moves : null, response, took: performance.now() - since };
}

/** Null if none came: it was cut off, or not in time. */
async function answerTo(client: Client<paths>, after: number, signal: AbortSignal | undefined) {
  const ending = new AbortController();
  const end = () => ending.abort();
  const timer = setTimeout(end, WAIT * 1000 + PATIENCE);
  signal?.addEventListener('abort', end);
  if (signal?.aborted) {
    end();
  }
  let isSent = false;
  try {
    return await client.GET('/api/v1/moves', {
      params: { query: { after, limit: 200, wait: WAIT } },
      signal: ending.signal,
      // Without the patience of other requests: this one has its own.
      fetch: (request) => {
        isSent = true;
        return fetch(request);
      },
    });
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
