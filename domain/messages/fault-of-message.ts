import { isConnectionLost } from '../../db/timescale/connections/connection-lost.ts';
import { isFaultOfData, isUsedUp, sqlStateOf } from '../../db/timescale/connections/sql-state.ts';
import { Outdated, StillInProgress } from '../../db/timescale/connections/transaction.ts';
import { BatchClosed } from '../tracking/batch.ts';
import { ClocksApart } from '../tracking/database-clock.ts';
import { TooManyScans } from '../tracking/location/load-stretches.ts';
import { AlreadyStored } from '../tracking/record.ts';
import { OrganizationGone } from './require-here.ts';

/**
 * True if the message itself is at fault: a retry is useless, and it becomes a dead letter. Everything else
 * is a passing or repairable state of the database (no connection, a full disk, read-only, a missing
 * privilege, an exhausted sequence) or of this machine's clock, or of the scans around it: the message waits, unacknowledged.
 */
export function isFaultOfMessage(error: unknown): boolean {
  if (sqlStateOf(error) !== null) {
    return !isUsedUp(error) && isFaultOfData(error);
  }
  return !(isConnectionLost(error) || PASSING.some((kind) => error instanceof kind));
}

const PASSING = [
  ...[AlreadyStored, Outdated, StillInProgress, BatchClosed, ClocksApart, OrganizationGone, TooManyScans],
];
