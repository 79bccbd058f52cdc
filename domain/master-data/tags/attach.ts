import { type AppError, conflict, notFound } from '../../../base/errors.ts';
import { type ChangeResult, changed, type OrganizationChange } from '../../changes/make-change.ts';
import { claim } from '../claims.ts';
import type { NewTag } from './new-tag.ts';
import { attachTag, attachTags, type Parent } from './queries.ts';
import type { TagRow } from './stored-tags.ts';
import type { TagColumns } from './tag-columns.ts';
import { tagName } from './tag-name.ts';

/** Attaches claimed tags (`refuse-taken.ts`) to a row created by this transaction. */
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
 * @throws AppError `conflict` if it is live, `not_found` if the row is gone.
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
  throw (await stillThere()) === null ? notFound(MISSING[parent]) : tagTaken(tag);
}

export const MISSING: Record<Parent, string> = { asset: 'Asset not found', location: 'Location not found' };

export function tagTaken({ tagType, value }: { tagType: string; value: string }): AppError {
  return conflict(`tag ${tagName({ tag_type: tagType, value })} already exists`);
}
