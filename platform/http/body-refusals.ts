import { Problem } from './problem.ts';

export const REFUSALS = ['crowded', 'waited', 'stalled', 'late'] as const;

export type Refusal = (typeof REFUSALS)[number];

export function refusalOf(why: Refusal): Problem {
  return new Problem(why === 'late' ? 'request_timeout' : 'unavailable', DETAILS[why], {
    // Saves the client from sending the rest of the body.
    headers: { 'Retry-After': RETRY_AFTER, Connection: 'close' },
  });
}

/** Seconds. */
const RETRY_AFTER = '5';

const DETAILS: Readonly<Record<Refusal, string>> = {
  crowded: 'Too many request bodies are waiting to be read; send fewer at once, and try again in a moment',
  waited:
    'The request body could not be read for others on their way; send fewer at once, or try again later',
  stalled: 'The request body came too slowly while others waited to be read; try again later',
  late: 'The request body was not sent in time; send it faster, or less at once',
};
