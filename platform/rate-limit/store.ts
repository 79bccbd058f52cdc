import type { Taken } from './take.ts';

export interface Store {
  /** Takes all tokens or none; an unknown bucket is full. */
  take(key: string, tokens: number): Taken | Promise<Taken>;
}
