import type { OrganizationConnection } from '../../db/timescale/organization-door.ts';
import { rowsOf } from '../../db/timescale/row-queries.ts';
import { sql } from '../../db/timescale/sql.ts';
import { claim } from './claims.ts';
import { keyTaken } from './constraints.ts';
import type { Keyed } from './external-keys/mint.ts';
import { tagTaken } from './tags/attach.ts';
import { takenTags } from './tags/queries.ts';
import type { NewTag } from './tags/schema.ts';
import { tagName } from './tags/tag-name.ts';

const TABLE = { asset: sql.fragment`assets`, location: sql.fragment`locations` };

/**
 * Claims the names of a row to be made, so that making it will not fail for their sake.
 *
 * @param key undefined for one that is to be minted.
 * @throws Problem `conflict` if a live row has one of the names, or a tag is named twice.
 */
export async function refuseTaken(
  transaction: OrganizationConnection,
  resource: Keyed,
  key: string | undefined,
  tags: readonly NewTag[],
): Promise<void> {
  const names = tags.map(({ tagType, value }) => tagName({ tag_type: tagType, value }));
  const claimed = [
    ...(key === undefined ? [] : [`${resource}:${key}`]),
    ...names.map((name) => `tag:${name}`),
  ];
  if (claimed.length === 0) {
    return;
  }
  const [, isTaken, taken] = await Promise.all([
    claim(transaction, claimed),
    key === undefined ? false : isKeyTaken(transaction, resource, key),
    tags.length === 0 ? [] : takenTags(transaction, tags),
  ]);
  if (key !== undefined && isTaken) {
    throw keyTaken(resource, key);
  }
  const known = new Set(taken.map(tagName));
  for (const [index, tag] of tags.entries()) {
    const name = names[index] ?? '';
    if (known.has(name)) {
      throw tagTaken(tag);
    }
    known.add(name);
  }
}

function isKeyTaken(transaction: OrganizationConnection, resource: Keyed, key: string): Promise<boolean> {
  return transaction.exists(sql.prepared(`is-${resource}-key-taken`, rowsOf<{ id: number }>())`
    select id from ${TABLE[resource]}
    where org_id = ${transaction.orgId} and external_key = ${key} and deleted_at is null`);
}
