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
  /** Milliseconds granted to every body, whoever waits. */
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
