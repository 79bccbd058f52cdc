import { tagKey } from '../../../../domain/tracking/tag-key.ts';
import { isForbiddenInTag, type TagType } from '../../../../domain/tracking/tag-type.ts';
import { texts } from '../texts/texts.ts';

/** Why a value cannot be a tag's (contract 2.4), for the user; null if it can. */
export function whyUnusable(tagType: TagType, value: string): string | null {
  if ([...value].length > 255) {
    return texts.value.notTaken.tooLong;
  }
  if (isForbiddenInTag(tagType, value)) {
    return texts.value.notTaken.controls;
  }
  if (value.length === 0 || tagKey(tagType, value) === '') {
    return texts.value.notTaken.nothing;
  }
  return null;
}
