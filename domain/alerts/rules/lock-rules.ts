import { invalidValue, refuseIssues } from '../../../base/checks/issues.ts';
import { conflict } from '../../../base/errors.ts';
import type { Micros } from '../../../base/instant.ts';
import { ORGANIZATION_LOCKS } from '../../../db/timescale/connections/advisory-locks.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { AHEAD, DERIVED, LIMITS } from './settings.ts';

/**
 * Lets one transaction at a time change an organization's rules.
 *
 * @throws AppError `conflict` if too much was set recently.
 */
export async function lockRules(
  transaction: Connection,
  orgId: number,
  most: number = LIMITS.versions,
): Promise<void> {
  await transaction.exec(sql.type(NO_ROWS)`
    select pg_advisory_xact_lock(${ORGANIZATION_LOCKS.rules}, ${orgId})`);
  const { count } = await transaction.one(sql.type(rowsOf<{ count: number }>())`
    select count(*) as count from rules
    where org_id = ${orgId} and recorded_at > clock_timestamp() - ${DERIVED}::bigint * interval '1 microsecond'`);
  if (count >= most) {
    const remedy = count < LIMITS.endings ? 'wait some days; rules can still be ended' : 'wait some days';
    throw conflict(`The organization's rules were set ${count} times within 31 days, the maximum; ${remedy}`);
  }
}

/** @throws Invalid if the rule would end before it begins, or much later. */
export function requireEnd(endsAt: Micros | null, from: Micros, now: Micros): void {
  if (endsAt !== null && (endsAt <= from || endsAt > now + AHEAD)) {
    refuseIssues([invalidValue('ends_at', 'must be after the change begins, and within the next 366 days')]);
  }
}

/** @throws Invalid for a beginning, or an end, from which alerts cannot be derived. */
export function requireBeginning(validFrom: Micros | null, now: Micros): void {
  if (validFrom !== null && (validFrom < now - DERIVED || validFrom > now + AHEAD)) {
    refuseIssues([invalidValue('valid_from', 'must be within the last 31 days, or the next 366')]);
  }
}
