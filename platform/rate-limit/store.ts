import type { Taken } from './take.ts';

/** Keeps one bucket for each key. */
export interface Store {
  /** Takes tokens, all or none, from the bucket of `key`, which is full if nothing is known of it. */
  take(key: string, tokens: number): Taken | Promise<Taken>;
}
