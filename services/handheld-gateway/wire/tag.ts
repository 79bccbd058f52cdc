import { accepted, type Checked, invalidValue, refused } from '../../../base/checks/issues.ts';
import type { Values } from '../../../base/checks/members.ts';
import type { NEW_TAG } from '../../../domain/master-data/tags/new-tag.ts';
import { tagKey } from '../../../domain/tracking/tag-key.ts';
import type { TagType } from '../../../domain/tracking/tag-type.ts';

export interface ReadTag {
  tagType: TagType;
  value: string;
}

/** Refuses a value of separators only: it has no key to be matched by. @param name of the value's field. */
export function usableTag({ tag_type, value }: Values<typeof NEW_TAG>, name: string): Checked<ReadTag> {
  return tagKey(tag_type, value) === ''
    ? refused(invalidValue(name, 'must have more in it than separators'))
    : accepted({ tagType: tag_type, value });
}
