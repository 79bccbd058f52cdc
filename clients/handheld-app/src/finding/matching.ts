import { tagKey } from '../../../../domain/tracking/tag-key.ts';
import { isTagType, TAG_TYPES } from '../../../../domain/tracking/tag-type.ts';
import { folded } from '../../../ui/texts/folded.ts';
import type { FoundAsset } from '../gateway/found-asset.ts';

/**
 * The assets with every word in their name, key or tags, whatever the case, and those with a tag that the whole text is
 * in any spelling. What is named exactly comes first, as the gateway has it.
 */
export function matching(assets: readonly FoundAsset[], text: string): FoundAsset[] {
  const words = folded(text).split(/\s+/).filter(Boolean);
  const whole = text.trim();
  const keys = new Map(TAG_TYPES.map((type) => [type, tagKey(type, whole)]));
  const isNamed = ({ external_key, tags }: FoundAsset) =>
    folded(external_key) === folded(whole) ||
    tags.some(
      ({ tag_type, value }) =>
        isTagType(tag_type) && keys.get(tag_type) !== '' && tagKey(tag_type, value) === keys.get(tag_type),
    );
  const named: FoundAsset[] = [];
  const others: FoundAsset[] = [];
  for (const asset of words.length === 0 ? [] : assets) {
    const { name, external_key, tags } = asset;
    if (isNamed(asset)) {
      named.push(asset);
    } else {
      const told = [name, external_key, ...tags.map(({ value }) => value)].join('\n');
      const searched = folded(told);
      if (words.every((word) => searched.includes(word))) {
        others.push(asset);
      }
    }
  }
  return [...named, ...others];
}
