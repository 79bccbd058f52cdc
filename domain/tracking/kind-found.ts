import { TAG_TYPES, type TagType } from './tag-type.ts';

/**
 * The kind of a tag that a device guessed: the guess if a tag of that kind has the value, or if none has; otherwise the
 * only other kind that has it. Of two others none is picked by chance: the guess stays, and the tag unknown.
 */
export function kindFound(guess: TagType, hasValue: (tagType: TagType) => boolean): TagType {
  if (hasValue(guess)) {
    return guess;
  }
  const [only, another] = TAG_TYPES.filter(hasValue);
  return only === undefined || another !== undefined ? guess : only;
}
