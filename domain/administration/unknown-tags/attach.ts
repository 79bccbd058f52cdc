import { AppError } from '../../../base/errors.ts';
import { JsonSource } from '../../../base/json/json-source.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import type { Actor } from '../../changes/actor.ts';
import { makeChange, type OrganizationChange } from '../../changes/make-change.ts';
import { requireLiveByKey } from '../../master-data/live-by-key.ts';
import { attachOne } from '../../master-data/tags/attach.ts';
import { type NewTag, newTag } from '../../master-data/tags/new-tag.ts';
import type { TagRow } from '../../master-data/tags/stored-tags.ts';
import type { TagType } from '../../tracking/tag-type.ts';
import { type Candidate, findUnknownTag, removeUnknownTag } from './queries.ts';

export interface AttachedTag extends TagRow {
  /** Tags that differ from it in spelling only: reads that are none of them to the letter stay ambiguous. */
  alike: readonly Candidate[];
}

/**
 * Attaches an unknown tag to a live asset, as the API attaches tags, and takes it off the list: its next read is the
 * asset's.
 *
 * @throws AppError `invalid_input` (value), `not_found` (no such asset, or not on the list), `conflict` (attached
 * already, or ambiguous and not the value that was read).
 */
export function attachUnknownTag(
  db: OrganizationDatabase,
  actor: Actor,
  { tagType, value, assetKey }: { tagType: TagType; value: string; assetKey: string },
): Promise<AttachedTag> {
  const tag = readTag(tagType, value);
  return makeChange(db, actor, (change) => attach(change, tag, assetKey));
}

function readTag(tagType: TagType, value: string): NewTag {
  const tag = { tag_type: tagType, value };
  const read = newTag.read(tag, 'tag', JsonSource.of(JSON.stringify(tag)));
  if (!read.ok) {
    throw new AppError('invalid_input', read.issues.map(({ message }) => message).join('; '));
  }
  return read.value;
}

async function attach(change: OrganizationChange, tag: NewTag, assetKey: string): Promise<AttachedTag> {
  const { orgId } = change;
  const assetId = await requireLiveByKey(change, 'asset', orgId, assetKey);
  const unknown = await findUnknownTag(change, tag.tagType, tag.tagKey);
  if (unknown === null) {
    throw new AppError(
      'not_found',
      `No unknown tag ${tag.tagType}:${tag.value} in organization ${orgId}; ` +
        `npx --no -- tagtrail unknown-tags list --org ${orgId} shows those there are`,
    );
  }
  if (unknown.candidates.length > 0 && tag.value !== unknown.value) {
    throw new AppError(
      'conflict',
      `Tag ${tag.tagType}:${tag.value} is ambiguous: it may be ${sayCandidates(unknown.candidates)}. ` +
        `Only its very value tells it apart; it was read as ${unknown.value}`,
    );
  }
  const attached = await attachOne(change, 'asset', assetId, tag, async () => assetId);
  await removeUnknownTag(change, tag.tagType, tag.tagKey);
  return { ...attached, alike: unknown.candidates };
}

/** `E280 of PALLET-1 or e2:80 of PALLET-2`. */
export function sayCandidates(candidates: readonly Candidate[]): string {
  return candidates.map(({ value, external_key: key }) => `${value} of ${key}`).join(' or ');
}
