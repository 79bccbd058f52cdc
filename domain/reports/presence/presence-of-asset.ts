import { Invalid } from '../../../base/checks/issues.ts';
import { AppError } from '../../../base/errors.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { requirePast } from '../require-past.ts';
import { listPresence, type PresenceRow } from './list-presence.ts';

/** Milliseconds: somebody who looks an asset up waits no longer, whatever else the organization asks for. */
const PATIENCE = 2_000;

/** Current presences by asset; none where that is unknown or too slow to compute. */
export async function presenceOfAssets(
  db: OrganizationDatabase,
  assetIds: readonly number[],
  signal: AbortSignal,
  patience = PATIENCE,
): Promise<ReadonlyMap<number, PresenceRow>> {
  const filters = {
    ...{ asset_id: [...assetIds], sort: [], limit: assetIds.length, offset: 0 },
    ...{ include_deleted: false, include_descendants: false, include_not_in_effect: true },
  };
  const tooLate = AbortSignal.timeout(patience);
  try {
    const now = await requirePast(db, {});
    const { rows } = await listPresence(db, now, filters, AbortSignal.any([signal, tooLate]));
    return new Map(rows.map((row) => [row.id, row]));
  } catch (error) {
    const isTimedOut = tooLate.aborted || (error instanceof AppError && error.code === 'timed_out');
    if (!signal.aborted && (isTimedOut || error instanceof Invalid)) {
      return new Map();
    }
    throw error;
  }
}
