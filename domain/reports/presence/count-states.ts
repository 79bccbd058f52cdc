import { StatementTimedOut, TooMuchWork } from '../../../base/errors.ts';
import { pageOf } from '../../../base/page.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import { STATES } from '../../presence/coverage/limits.ts';
import type { Presence } from '../../presence/coverage/state-of.ts';
import { requirePast } from '../require-past.ts';
import { deriveStates } from './derive-states.ts';
import { MOST_ASSETS } from './list-presence.ts';
import { presenceRows } from './presence-rows.ts';

export interface StateCounts {
  counts: Record<Presence['state'], number>;
  /** How many are missing from each location, where any are. */
  missingFrom: ReadonlyMap<number, number>;
}

/** Why there are no counts: too many assets, or too much evidence for the available time. */
export type NotCounted = 'assets' | 'evidence';

/**
 * How many of the assets in effect are in each state now.
 *
 * @param most beyond this many live assets nothing is counted.
 */
export async function countStates(
  db: OrganizationDatabase,
  most = MOST_ASSETS,
): Promise<StateCounts | NotCounted> {
  try {
    return await counted(db, most);
  } catch (error) {
    // Kept like any other answer, so that the next caller does not try it again.
    if (error instanceof TooMuchWork || error instanceof StatementTimedOut) {
      return 'evidence';
    }
    throw error;
  }
}

async function counted(db: OrganizationDatabase, most: number): Promise<StateCounts | NotCounted> {
  const list = db.listing({ isBrief: false, isWhole: true, signal: undefined });
  const { orgId } = db;
  const { are_too_many: areTooMany } = await list.one(sql.type(rowsOf<{ are_too_many: boolean }>())`
    select count(*) > ${most} as are_too_many
    from (select from assets where org_id = ${orgId} and deleted_at is null limit ${most + 1}) live`);
  if (areTooMany) {
    return 'assets';
  }
  const now = await requirePast(db, {});
  const { rows: assets } = pageOf(await list.any(presenceRows(orgId, now + 1, WHOLE)));
  const counts = Object.fromEntries(STATES.map((state) => [state, 0])) as StateCounts['counts'];
  const missingFrom = new Map<number, number>();
  for (const [index, { state }] of (await deriveStates(list, now, assets)).entries()) {
    counts[state] += 1;
    const locationId = assets[index]?.location_id ?? null;
    if (state === 'missing' && locationId !== null) {
      missingFrom.set(locationId, (missingFrom.get(locationId) ?? 0) + 1);
    }
  }
  return { counts, missingFrom };
}

const WHOLE = {
  ...{ include_descendants: false, include_deleted: false, include_not_in_effect: false },
  ...{ sort: [], limit: MOST_ASSETS, offset: 0 },
};
