import { AppError } from '../../../base/errors.ts';
import { JsonSource } from '../../../base/json/exact-json.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import type { Actor } from '../../changes/actor.ts';
import {
  type ChangeResult,
  changed,
  makeChange,
  type OrganizationChange,
} from '../../changes/make-change.ts';
import { type Keyed, requireLiveByKey } from '../../master-data/by-id-or-key.ts';
import { attachOne } from '../../master-data/tags/attach.ts';
import { type NewTag, newTag } from '../../master-data/tags/new-tag.ts';
import type { TagRow } from '../../master-data/tags/stored-tags.ts';
import type { TagType } from '../../tracking/tag-type.ts';
import { type Candidate, findUnknownTag, removeUnknownTag } from './queries.ts';

export interface AttachedTag extends TagRow {
  /** Tags that differ in spelling only: reads that match none of them exactly stay ambiguous. */
  alike: readonly Candidate[];
}

/**
 * Attaches an unknown tag to a live asset or location, as the API attaches tags, and takes it off the list: its next read
 * is a scan of the asset.
 *
 * @throws AppError `invalid_input` (value), `not_found` (its owner, or not on the list), `conflict` (attached
 * already, or ambiguous and not the value that was read).
 */
export function attachUnknownTag(
  db: OrganizationDatabase,
  actor: Actor,
  { tagType, value, to, key }: { tagType: TagType; value: string; to: Keyed; key: string },
): Promise<AttachedTag> {
  const tag = readTag(tagType, value);
  return makeChange(db, actor, (change) => attach(change, tag, to, key));
}

function readTag(tagType: TagType, value: string): NewTag {
  const tag = { tag_type: tagType, value };
  const read = newTag.read(tag, 'tag', JsonSource.of(JSON.stringify(tag)));
  if (!read.ok) {
    throw new AppError('invalid_input', read.issues.map(({ message }) => message).join('; '));
  }
  return read.value;
}

async function attach(
  change: OrganizationChange,
  tag: NewTag,
  to: Keyed,
  key: string,
): Promise<ChangeResult<AttachedTag>> {
  const { orgId } = change;
  const ownerId = await requireLiveByKey(change, to, orgId, key);
  const unknown = await findUnknownTag(change, tag.tagType, tag.tagKey);
  if (unknown === null) {
    throw new AppError(
      'not_found',
      `No unknown tag ${tag.tagType}:${tag.value} in organization ${orgId}; ` +
        `${TAGTRAIL} unknown-tags list --org ${orgId} shows those there are`,
    );
  }
  if (unknown.candidates.length > 0 && tag.value !== unknown.value) {
    throw new AppError(
      'conflict',
      `Tag ${tag.tagType}:${tag.value} is ambiguous: it may be ${sayCandidates(unknown.candidates)}. ` +
        `Attach it by its exact value; it was read as ${unknown.value}`,
    );
  }
  const attached = await attachOne(change, to, ownerId, tag, async () => ownerId);
  await removeUnknownTag(change, tag.tagType, tag.tagKey);
  return changed({ ...attached.result, alike: unknown.candidates }, attached.entries);
}

/** `E280 of PALLET-1 or e2:80 of PALLET-2`. */
export function sayCandidates(candidates: readonly Candidate[]): string {
  return candidates.map(({ value, external_key: key }) => `${value} of ${key}`).join(' or ');
}
