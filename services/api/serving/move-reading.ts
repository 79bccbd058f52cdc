import type { SharedReads } from '../../../base/shared-reads.ts';
import type { MoveWaiters } from '../../../domain/moves/move-waiters.ts';

export interface MoveReading {
  waiters: MoveWaiters;
  reads: SharedReads;
}
