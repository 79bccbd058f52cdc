import { identifiersOf } from '../../identity/named.ts';
import { namedBy } from '../../tracking/tag-key.ts';
import { storedTags, type TagRow } from './stored-tags.ts';

/** A tag with what its value names by GS1's standards; as it is if that is nothing. */
export function namedTag<Tag extends TagRow>(tag: Tag) {
  const named = namedBy(tag.tag_type, tag.value);
  return named === null ? tag : { ...tag, ...identifiersOf(named) };
}

/** JSON of stored tags with {@link namedTag} of each. */
export function namedTags(json: string): string {
  const tags = storedTags(json);
  const named = tags.map(namedTag);
  return named.some((tag, index) => tag !== tags[index]) ? JSON.stringify(named) : json;
}
