import type { OrganizationConnection } from '../../../db/timescale/connections/organization-door.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import { claim } from '../claims.ts';
import { keyTaken } from '../key-taken.ts';
import type { Keyed } from '../live-by-key.ts';
import { liveByKey } from '../live-by-key.ts';
import { tagTaken } from './attach.ts';
import { claimWithTags } from './claim-tags.ts';
import { firstTakenTag } from './queries.ts';
import type { TagColumns } from './tag-columns.ts';

/**
 * Claims the names of a row to be made, so that its insert cannot fail because of them.
 *
 * @param key undefined to mint one.
 * @throws AppError `conflict` if a live row has one of the names, or a tag is repeated.
 */
export async function refuseTaken(
  transaction: OrganizationConnection,
  resource: Keyed,
  key: string | undefined,
  tags: TagColumns | undefined,
): Promise<void> {
  const names = key === undefined ? [] : [`${resource}:${key}`];
  const isTagged = tags !== undefined && tags.count > 0;
  if (names.length === 0 && !isTagged) {
    return;
  }
  const [, isTaken, taken] = await Promise.all([
    isTagged ? claimWithTags(transaction, names, tags) : claim(transaction, names),
    key === undefined ? false : isKeyTaken(transaction, resource, key),
    isTagged ? firstTakenTag(transaction, tags) : null,
  ]);
  if (key !== undefined && isTaken) {
    throw keyTaken(resource, key);
  }
  const repeated = tags?.repeated ?? null;
  if (taken !== null && taken.place <= (repeated?.place ?? taken.place)) {
    throw tagTaken({ tagType: taken.tag_type, value: taken.value });
  }
  if (repeated !== null) {
    throw tagTaken(repeated);
  }
}

async function isKeyTaken(
  transaction: OrganizationConnection,
  resource: Keyed,
  key: string,
): Promise<boolean> {
  const rows = await transaction.any(sql.prepared(`is-${resource}-key-taken`, rowsOf<{ id: number }>())`
    ${liveByKey(resource, transaction.orgId, key)}`);
  return rows.length > 0;
}
