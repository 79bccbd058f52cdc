import { tagKey } from '../../../../domain/tracking/tag-key.ts';
import { isTagType, type TagType } from '../../../../domain/tracking/tag-type.ts';
import type { ListedAsset } from '../gateway/answers.ts';
import type { Place } from '../gateway/place.ts';
import type { Database } from './database.ts';
import type { KnownAsset } from './known-asset.ts';

/** Key of a tag's asset, independent of how the tag is written. */
export function knownKey({ tag_type, value }: { tag_type: TagType; value: string }): string {
  return `${tag_type}:${tagKey(tag_type, value)}`;
}

export async function findKnown(
  database: Database,
  tags: readonly { tag_type: TagType; value: string }[],
): Promise<(KnownAsset | null)[]> {
  const transaction = database.transaction('known');
  const found = await Promise.all(tags.map((tag) => transaction.store.get(knownKey(tag))));
  return found.map((known) => known ?? null);
}

/** Stores what should be at a location, and what that says of tags. */
export async function keepList(
  database: Database,
  place: Place,
  assets: ListedAsset[],
  fetchedAt: string,
): Promise<void> {
  const transaction = database.transaction(['lists', 'known'], 'readwrite');
  await transaction.objectStore('lists').put({ location_id: place.id, fetched_at: fetchedAt, assets });
  const known = transaction.objectStore('known');
  for (const { tags, ...asset } of assets) {
    for (const { tag_type, value } of tags) {
      if (isTagType(tag_type)) {
        await known.put({ asset, place, at: fetchedAt }, knownKey({ tag_type, value }));
      }
    }
  }
  await transaction.done;
}
