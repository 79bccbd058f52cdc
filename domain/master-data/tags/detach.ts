import { type ChangeResult, changed, type OrganizationChange, unchanged } from '../../changes/make-change.ts';
import { detachTag, type Parent } from './queries.ts';

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
