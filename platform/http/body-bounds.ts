/** Who sends a body; callers share their organization's room. */
export interface Sender {
  organization: string;
  caller: string;
}

export interface RoomBounds {
  /** Bytes of all bodies, of those of an organization, and of those of a caller. No body is larger than the last. */
  total: number;
  perOrganization: number;
  perCaller: number;
  /** Requests that may wait for room, of a caller and of all. */
  waitingPerCaller: number;
  waiting: number;
  /** Milliseconds that one waits. */
  patience: number;
  /** Milliseconds in which {@link PROGRESS} has to come while others wait for the room. */
  stall: number;
  /** Milliseconds that a body may take however much others want the room, and that those wait at least. */
  grace: number;
  /** Milliseconds in which a body has to be there. */
  deadline: number;
}

/**
 * A body of 1 MiB has two minutes: 9 KB/s, and of a usual submission of 20 KB less than a modem of 1980 could send. The
 * largest, a file of 10 MiB, must come with 85 KB/s.
 */
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
