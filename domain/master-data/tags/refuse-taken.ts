import type { OrganizationConnection } from '../../../db/timescale/connections/organization-door.ts';
import { claim } from '../claims.ts';
import { keyTaken } from '../key-taken.ts';
import { findLiveByKey, type Keyed } from '../live-by-key.ts';
import { tagTaken } from './attach.ts';
import { claimWithTags } from './claim-tags.ts';
import { firstTakenTag } from './queries.ts';
import type { TagColumns } from './tag-columns.ts';

/**
 * Claims the names of a row before its insert, which then cannot fail because of them.
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
  const [, keyed, taken] = await Promise.all([
    isTagged ? claimWithTags(transaction, names, tags) : claim(transaction, names),
    key === undefined ? null : findLiveByKey(transaction, resource, transaction.orgId, key),
    isTagged ? firstTakenTag(transaction, tags) : null,
  ]);
  if (key !== undefined && keyed !== null) {
    throw keyTaken(resource, key);
  }
  const repeated = tags?.repeated ?? null;
  if (taken !== null && taken.ordinal <= (repeated?.ordinal ?? taken.ordinal)) {
    throw tagTaken({ tagType: taken.tag_type, value: taken.value });
  }
  if (repeated !== null) {
    throw tagTaken(repeated);
  }
}
