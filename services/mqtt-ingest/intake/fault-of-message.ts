import { isConnectionLost } from '../../../db/timescale/connections/connection-lost.ts';
import { isUsedUp } from '../../../db/timescale/connections/ids-used-up.ts';
import { sqlStateOf } from '../../../db/timescale/connections/sql-state.ts';
import { StillInProgress } from '../../../db/timescale/connections/transaction-mark.ts';
import { BatchClosed } from '../../../domain/tracking/batch.ts';
import { AlreadyStored } from '../../../domain/tracking/record.ts';
import { ClocksApart } from './database-clock.ts';

/**
 * Whether the message itself is at fault, so that a retry is useless and it is to be rejected (dead letter). Everything
 * else is a passing or mendable state of the database (no connection, a full disk, read-only, a missing privilege, an
 * exhausted sequence) or of this machine's clock: the message waits, unacknowledged.
 */
export function isFaultOfMessage(error: unknown): boolean {
  const state = sqlStateOf(error);
  if (state !== null) {
    return !isUsedUp(error) && CLASSES_OF_DATA.has(state.slice(0, 2));
  }
  return !(isConnectionLost(error) || PASSING.some((kind) => error instanceof kind));
}

const PASSING = [AlreadyStored, StillInProgress, BatchClosed, ClocksApart];

/**
 * SQLSTATE classes: 21 cardinality, 22 data exception, 23 integrity constraint, 44 check option, 54 program limit, P0
 * raised by a trigger, XX internal error, which one message can cause.
 */
const CLASSES_OF_DATA = new Set(['21', '22', '23', '44', '54', 'P0', 'XX']);
