import type { Ask } from './attack.ts';

/** What is sent, in turn, without credentials. */
export interface Case {
  name: string;
  asks: readonly Ask[];
  /** Four if left out. */
  connections?: number;
  /** Where what is refused for the rate limit is sent again at once. */
  isImpatient?: true;
}
