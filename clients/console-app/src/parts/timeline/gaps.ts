import type { Range } from './range.ts';

/** Times in which nobody would have noticed that something left, by place. */
export type Gaps = ReadonlyMap<number, readonly Range[]>;
