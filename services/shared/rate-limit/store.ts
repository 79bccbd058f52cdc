import type { Taken } from './take.ts';

/** Keeps one bucket for each key. */
export interface Store {
  /** Takes a token from the bucket of `key`, which is full if nothing is known of it. */
  take(key: string): Taken | Promise<Taken>;
}
