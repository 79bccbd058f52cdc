import { Problem } from './problem.ts';
export interface Sender {
  organization: string;
  caller: string;
}

export interface RoomBounds {
  /** Bytes of all bodies, then per organization and per caller. No body is larger than the last. */
  total: number;
  perOrganization: number;
  perCaller: number;
  waitingPerCaller: number;
  waiting: number;
  /** Milliseconds a request waits for room. */
  patience: number;
  /** Milliseconds within which {@link PROGRESS} must arrive while others wait. */
  stall: number;
  /** Milliseconds granted to every body, even if others wait. */
  grace: number;
  /** Milliseconds within which a body must be complete. */
  deadline: number;
}

/** A body of 1 MiB has two minutes: 9 KB/s. The largest, a file of 10 MiB, needs 85 KB/s. */
export const ROOM: RoomBounds = {
  total: 48 * 1_048_576,
  perOrganization: 24 * 1_048_576,
  perCaller: 12 * 1_048_576,
  waitingPerCaller: 128,
  waiting: 512,
  patience: 20_000,
  stall: 5_000,
  grace: 2_000,
  deadline: 120_000,
};

/** Bytes. */
export const PROGRESS = 4_096;

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
