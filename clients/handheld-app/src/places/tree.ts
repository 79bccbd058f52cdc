import { plainValue } from '../../../../base/scanned-text.ts';
import { sameTagKey } from '../../../../domain/tracking/tag-key.ts';
import { isTagType, type TagType } from '../../../../domain/tracking/tag-type.ts';
import { folded } from '../../../ui/texts/folded.ts';
import type { Location } from '../gateway/place.ts';

/** The locations of an organization, available offline. */
export class LocationTree {
  readonly all: readonly Location[];
  readonly #byId: ReadonlyMap<number, Location>;
  readonly #children = new Map<number | null, Location[]>();

  constructor(locations: readonly Location[]) {
    this.all = locations;
    this.#byId = new Map(locations.map((location) => [location.id, location]));
    for (const location of locations) {
      // A parent that is not in the list (it is hidden from this list, or deleted) leaves a root.
      const parent =
        location.parent_id !== null && this.#byId.has(location.parent_id) ? location.parent_id : null;
      this.#children.set(parent, [...(this.#children.get(parent) ?? []), location]);
    }
    for (const children of this.#children.values()) {
      children.sort((one, other) => compareNames(one.name, other.name) || one.id - other.id);
    }
  }

  get(id: number): Location | undefined {
    return this.#byId.get(id);
  }

  /** Direct children by name; of null, the roots. */
  children(id: number | null): readonly Location[] {
    return this.#children.get(id) ?? [];
  }

  ancestors(id: number): Location[] {
    const path: Location[] = [];
    let parent = this.#byId.get(id)?.parent_id ?? null;
    while (parent !== null && path.length < this.all.length) {
      const location = this.#byId.get(parent);
      if (location === undefined) {
        break;
      }
      path.unshift(location);
      parent = location.parent_id;
    }
    return path;
  }

  /** Locations whose name or key contains every word, in tree order. */
  search(text: string): Location[] {
    const words = folded(text).split(/\s+/).filter(Boolean);
    return this.#inOrder(null).filter(({ name, external_key }) => {
      const searched = folded(`${name} ${external_key}`);
      return words.every((word) => searched.includes(word));
    });
  }

  /** The location with exactly this value, or the only one with the same tag key. */
  byTag(tagType: TagType, value: string): Location | null {
    const exact = this.#withTag((tag) => tag.tag_type === tagType && tag.value === value);
    if (exact.length > 0) {
      return exact[0] ?? null;
    }
    const key = sameTagKey(tagType, value);
    const alike = this.#withTag(
      (tag) =>
        (isTagType(tag.tag_type) && sameTagKey(tag.tag_type, tag.value) === key) ||
        (tag.tag_type === tagType && plainValue(tag.value) === plainValue(value)),
    );
    return alike.length === 1 ? (alike[0] ?? null) : null;
  }

  #withTag(matches: (tag: Location['tags'][number]) => boolean): Location[] {
    return this.all.filter(({ tags }) => tags.some(matches));
  }

  #inOrder(id: number | null): Location[] {
    return this.children(id).flatMap((location) => [location, ...this.#inOrder(location.id)]);
  }
}

/** Natural order: `Aisle 2` before `Aisle 10`. */
function compareNames(one: string, other: string): number {
  return one.localeCompare(other, undefined, { numeric: true, sensitivity: 'base' });
}
