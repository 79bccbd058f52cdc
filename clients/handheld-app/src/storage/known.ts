import { plainValue } from '../../../../base/scanned-text.ts';
import { kindFound } from '../../../../domain/tracking/kind-found.ts';
import { sameTagKey } from '../../../../domain/tracking/tag-key.ts';
import { isTagType, TAG_TYPES, type TagType } from '../../../../domain/tracking/tag-type.ts';
import type { ListedAsset } from '../gateway/answers.ts';
import type { Place } from '../gateway/place.ts';
import type { Database } from './database.ts';
import type { KnownAsset } from './known-asset.ts';

/** Key of a tag's asset, independent of how the tag is written, and of its kind if GS1 names it. */
export function knownKey({ tag_type, value }: { tag_type: TagType; value: string }): string {
  return sameTagKey(tag_type, value);
}

/** A tag of a guessed kind is looked up as the gateway does. */
export async function findKnown(
  database: Database,
  tags: readonly { tag_type: TagType; value: string; guessed?: boolean }[],
): Promise<(KnownAsset | null)[]> {
  const { store } = database.transaction('known');
  return Promise.all(
    tags.map(async ({ tag_type, value, guessed = false }) => {
      const kinds = guessed ? TAG_TYPES : [tag_type];
      const found = new Map(
        await Promise.all(
          kinds.map(async (tag_type) => {
            const known =
              (await store.get(knownKey({ tag_type, value }))) ??
              (await store.get(knownKey({ tag_type, value: plainValue(value) })));
            return [tag_type, known] as const;
          }),
        ),
      );
      return found.get(kindFound(tag_type, (kind) => found.get(kind) !== undefined)) ?? null;
    }),
  );
}

/** Stores the assets expected at a location, with their tags. */
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
