import { expensiveTurns, QUEUE } from '../../../base/expensive-turns.ts';
import type {
  OrganizationConnection,
  OrganizationDatabase,
} from '../../../db/timescale/connections/organization-door.ts';
import type { Actor } from '../../changes/actor.ts';
import { changed, makeChange, unchanged } from '../../changes/make-change.ts';
import { explainViolations } from '../by-id-or-key.ts';
import { claim } from '../claims.ts';
import { renamingOf } from '../logged/entries.ts';
import type { LookedUp } from '../looked-up.ts';
import type { LocationRow } from '../rows.ts';
import { lockLocationForChange, updateLocationKey } from './changes.ts';
import { countDescendants } from './list-tree.ts';
import { orNotFound } from './patch.ts';
import { lookUpLocation } from './queries.ts';

/**
 * Changes a live location's external key; its present key changes nothing. No other row is touched: the count
 * is of live locations below it.
 *
 * @throws AppError `conflict` if a live location has the key.
 */
export function renameLocation(
  db: OrganizationDatabase,
  actor: Actor,
  id: number,
  externalKey: string,
): Promise<{ location: LookedUp<LocationRow> & { id: number }; descendantCount: number }> {
  return makeChange(db, actor, async (change) => {
    const before = await orNotFound(lockLocationForChange(change, id));
    if (before === externalKey) {
      return unchanged({ location: await orNotFound(lookUpLocation(change, id)), descendantCount: 0 });
    }
    await claim(change, [`location:${externalKey}`]);
    await explainViolations(updateLocationKey(change, id, externalKey), { external_key: externalKey });
    const renamed = {
      location: await orNotFound(lookUpLocation(change, id)),
      descendantCount: await countAll(change, id),
    };
    return changed(renamed, [renamingOf(change.orgId, 'location', id, before, externalKey)]);
  });
}

/** Locations counted without a turn, in a few milliseconds. */
const FEW = 1_000;

/**
 * More than {@link FEW} are counted in the organization's turn: 15,000 nested ones take the database 50 ms.
 */
async function countAll(transaction: OrganizationConnection, id: number): Promise<number> {
  const few = await countDescendants(transaction, id, FEW + 1);
  const all = () => countDescendants(transaction, id, 2 ** 31 - 1);
  return few <= FEW ? few : expensiveTurns.run(transaction.orgId, 'rows', all, QUEUE);
}
