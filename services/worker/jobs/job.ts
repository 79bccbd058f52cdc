import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Pool } from '../../../db/timescale/connections/client.ts';
import type { Election, ElectionLock } from '../../../db/timescale/connections/elected.ts';

/** Work in the background. It knows no lock, timer or warning: `run-job.ts` has these for all of them. */
export interface Job {
  /** In logs, metrics and findings, such as `seal-moves`. */
  name: string;
  /**
   * Elected: one process of the installation has turns at a time, on the connection that holds this lock.
   * Null: every process has turns, which lease what they work on.
   */
  lock: ElectionLock | null;
  session: Pick<Election, 'name' | 'patience' | 'settings'>;
  /** A database URL with another user than the process's. */
  url?: string;
  /** Channels whose notifications wake it. */
  wokenBy: readonly string[];
  /** Least milliseconds between two turns, in addition to the duration of the last one, up to a fifth of a second. */
  rest: number;
  /** A stopping process may break it off: it is done again. */
  isBrokenOff?: boolean;
  /** Begins its turns: after each election, or when the process starts. */
  begin(db: Pool): Turns;
}

export interface Turns {
  /** A notification came. */
  hear?(payload: string, channel: string): void;
  /**
   * @returns milliseconds until the next turn unless a notification comes first; 0 if there is more to do, null if
   * there never will be.
   */
  turn(): Promise<number | null>;
  /** Graceful end. */
  end?(): Promise<void>;
}

/** The process's parts that jobs use. */
export interface JobParts {
  /** For work outside a turn's connection, such as later outcomes. */
  pool: Pool;
  log: Logger;
  metrics: Registry;
  /** Aborts when shutdown is announced. */
  stopping: AbortSignal;
}
