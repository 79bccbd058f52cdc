import { foreignKeyNotFound, invalid } from '../../../base/checks/issues.ts';
import type { OrganizationConnection } from '../../../db/timescale/connections/organization-door.ts';
import { holdLiveLocations } from '../by-id-or-key.ts';

/**
 * Keeps the locations live until the transaction ends. Before any plan is locked: deleting a location locks it, then its
 * plans.
 *
 * @param wanted ids by the field that names each.
 * @throws Invalid naming those that are not live.
 */
export async function holdLocations(
  transaction: OrganizationConnection,
  wanted: readonly { field: string; id: number }[],
): Promise<void> {
  if (wanted.length === 0) {
    return;
  }
  const ids = [...new Set(wanted.map(({ id }) => id))];
  const held = new Set(await holdLiveLocations(transaction, transaction.orgId, ids));
  const missing = wanted.filter(({ id }) => !held.has(id));
  if (missing.length > 0) {
    throw invalid(missing.slice(0, MOST_NAMED).map(({ field, id }) => foreignKeyNotFound(field, id)));
  }
}

const MOST_NAMED = 20;
