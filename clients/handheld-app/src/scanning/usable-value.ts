import { tagKey } from '../../../../domain/tracking/tag-key.ts';
import { FORBIDDEN_IN_TAG_VALUE, type TagType } from '../../../../domain/tracking/tag-type.ts';

/** Why a value cannot be a tag's (contract 2.4), for the user; null if it can. */
export function whyUnusable(tagType: TagType, value: string): string | null {
  if ([...value].length > 255) {
    return 'That is longer than a tag can be (255 characters).';
  }
  if (FORBIDDEN_IN_TAG_VALUE.test(value)) {
    return 'There are control characters in it, which no tag can have.';
  }
  if (value.length === 0 || tagKey(tagType, value) === '') {
    return 'There is nothing in it that could be a tag.';
  }
  return null;
}
