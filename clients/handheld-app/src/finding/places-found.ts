import { TAG_TYPES } from '../../../../domain/tracking/tag-type.ts';
import { folded } from '../../../ui/texts/folded.ts';
import type { Location } from '../gateway/place.ts';
import type { LocationTree } from '../places/tree.ts';

/** Of more one reads no more, but types on. */
const MOST_SHOWN = 10;

/** Places with every word in their name or key; one whose key or tag is the whole text comes first. */
export function placesFound(tree: LocationTree, text: string): Location[] {
  const whole = text.trim();
  if (whole === '') {
    return [];
  }
  const named = [
    ...tree.all.filter(({ external_key: key }) => folded(key) === folded(whole)),
    ...TAG_TYPES.flatMap((type) => tree.byTag(type, whole) ?? []),
  ];
  return [...new Set([...named, ...tree.search(whole)])].slice(0, MOST_SHOWN);
}
