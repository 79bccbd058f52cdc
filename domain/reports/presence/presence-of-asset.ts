import { Invalid } from '../../../base/checks/issues.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { requirePast } from '../require-past.ts';
import { listPresence, type PresenceRow } from './list-presence.ts';

/** What can be said of an asset now; null where that is nothing, as where there is too much evidence to look at. */
export async function presenceOfAsset(
  db: OrganizationDatabase,
  assetId: number,
  signal: AbortSignal,
): Promise<PresenceRow | null> {
  const filters = {
    ...{ asset_id: [assetId], sort: [], limit: 1, offset: 0 },
    ...{ include_deleted: false, include_descendants: false, include_not_in_effect: true },
  };
  try {
    const { rows } = await listPresence(db, await requirePast(db, {}), filters, signal);
    return rows[0] ?? null;
  } catch (error) {
    if (error instanceof Invalid) {
      return null;
    }
    throw error;
  }
}
