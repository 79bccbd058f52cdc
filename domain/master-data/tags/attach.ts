import { type AppError, conflict, notFound } from '../../../base/errors.ts';
import type { OrganizationConnection } from '../../../db/timescale/connections/organization-door.ts';
import { texts } from '../../../db/timescale/queries/array-parameters.ts';
import { NO_ROWS, type RowQuery, sql } from '../../../db/timescale/queries/sql.ts';
import { type ChangeResult, changed, type OrganizationChange, unchanged } from '../../changes/make-change.ts';
import { findLiveByKey, type Keyed, keyTaken } from '../by-id-or-key.ts';
import { claim, claimed } from '../claims.ts';
import { type NewTag, type TagArrays, type TagColumns, tagName } from './new-tag.ts';
import {
  asRows,
  attachTag,
  attachTags,
  detachTag,
  firstTakenTag,
  hasMostTags,
  MOST_TAGS,
  type Parent,
} from './queries.ts';
import type { TagRow } from './stored-tags.ts';

/** Attaches tags claimed by {@link refuseTaken} to a row created by this transaction. */
export async function attachAll(
  change: OrganizationChange,
  parent: Parent,
  parentId: number,
  tags: TagColumns | undefined,
): Promise<void> {
  if (tags !== undefined && tags.count > 0) {
    await attachTags(change, parent, parentId, tags);
  }
}

/**
 * Attaches one tag. May wait for an uncommitted attach of the same tag.
 *
 * @throws AppError `conflict` if it is attached already or the row has too many, `not_found` if the row is gone.
 */
export async function attachOne(
  change: OrganizationChange,
  parent: Parent,
  parentId: number,
  tag: NewTag,
  stillThere: () => Promise<unknown>,
): Promise<ChangeResult<TagRow>> {
  const name = tagName({ tag_type: tag.tagType, value: tag.value });
  const [, attached] = await Promise.all([
    claim(change, [`tag:${name}`]),
    attachTag(change, parent, parentId, tag),
  ]);
  if (attached !== null) {
    const { external_key: externalKey, ...row } = attached;
    const { tag_type, value } = row;
    return changed(row, [
      {
        orgId: change.orgId,
        action: 'attach_tag',
        resource: { type: parent, id: parentId, externalKey },
        before: { tags: [] },
        after: { tags: [{ tag_type, value }] },
      },
    ]);
  }
  if ((await stillThere()) === null) {
    throw notFound(MISSING[parent]);
  }
  throw (await hasMostTags(change, parent, parentId))
    ? conflict(`The ${parent} ${TOO_MANY_TAGS}`)
    : tagTaken(tag);
}

/** Below the asset or location. */
export const TOO_MANY_TAGS = `would have more than ${MOST_TAGS.toLocaleString('en')} tags, the maximum; detach some first`;

export const MISSING: Record<Parent, string> = { asset: 'Asset not found', location: 'Location not found' };

export function tagTaken({ tagType, value }: { tagType: string; value: string }): AppError {
  return conflict(`tag ${tagName({ tag_type: tagType, value })} already exists`);
}

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

/** `claim` (`claims.ts`) including tags; in one statement, so that everybody takes the locks in the same order. */
async function claimWithTags(
  transaction: OrganizationConnection,
  names: readonly string[],
  tags: TagArrays,
): Promise<void> {
  await transaction.exec(claiming(transaction.orgId, names, tags));
}

/** The statement alone, to precede another one; it returns no rows. */
export function claiming(orgId: number, names: readonly string[], tags: TagArrays): RowQuery<never> {
  const named = sql.fragment`(
    select unnest(${sql.binary(texts(names))}::text[]) as name
    union all select concat_ws(':', 'tag', tag.tag_type, tag.value) from ${asRows(tags)}
  ) named`;
  return sql.prepared('claim-names-and-tags', NO_ROWS)`${claimed(orgId, named)}`;
}

/** Detaches a tag from a row. Its result is false if it is not attached to this row. */
export async function detachOne(
  change: OrganizationChange,
  parent: Parent,
  parentId: number,
  tagId: number,
): Promise<ChangeResult<boolean>> {
  const detached = await detachTag(change, parent, parentId, tagId);
  if (detached === null) {
    return unchanged(false);
  }
  const { external_key: externalKey, tag_type, value } = detached;
  return changed(true, [
    {
      orgId: change.orgId,
      action: 'detach_tag',
      resource: { type: parent, id: parentId, externalKey },
      before: { tags: [{ tag_type, value }] },
      after: { tags: [] },
    },
  ]);
}
